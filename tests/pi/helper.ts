// Another extension beside ours: moves in the session tree on command, and adds to or changes what a request holds.
export default function (pi: any): void {
  pi.registerCommand("go", {
    description: "go to an entry",
    handler: async (line: string, ctx: any) => {
      const [target, summarize] = line.split(" ");
      await ctx.navigateTree(target, { summarize: summarize === "summarize" });
      ctx.ui.notify(`went to ${target}`, "info");
    },
  });
  const way = process.env.HELPER_CONTEXT;
  if (!way) return;
  pi.on("context", (event: any) => {
    const messages = [...event.messages];
    if (way === "shortens") {
      const results = messages.filter((message: any) => message.role === "toolResult");
      if (results.length > 2) results[0].content = [{ type: "text", text: "shortened" }];
      return { messages };
    }
    const last = messages.findLastIndex((message: any) => message.role === "user");
    if (way === "adds") messages.splice(last, 0, { role: "user", content: "a passing remark", timestamp: 1 });
    else if (way === "drops") messages.splice(0, 1);
    else messages[last] = { ...messages[last], content: [{ type: "text", text: "said otherwise" }] };
    return { messages };
  });
}
