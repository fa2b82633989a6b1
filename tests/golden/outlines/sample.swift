import Foundation

public protocol Shape {
    func area() -> Double
}

@available(macOS 13, *)
public final class Circle: Shape {
    private let radius = 1.0
    init(radius: Double) {
    }
    public func area() -> Double {
        let text = """
        func notMe() {}
        """
        return radius
    }
}

extension Circle {
    static func unit() -> Circle { Circle(radius: 1) }
}

struct Pair { var a: Int }
enum State { case on, off }
