using System;

namespace Demo.App;

public sealed class Service : IService
{
    private readonly string text = @"
class NotMe {
";

    public int Size { get; set; }

    public Service(int size)
    {
        Size = size;
    }

    public async Task<List<int>> RunAsync(string name, int count = 3)
    {
        return await Call(name);
    }
}

public record Pair(int A, int B);
internal enum State { On, Off }
