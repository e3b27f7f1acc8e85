import Synchronization

/// What examples print: their suites have a `print` of their own, which puts it here.
final class Printed: Sendable {
    /// The lines, as they come.
    let stream: AsyncStream<String>

    private let continuation: AsyncStream<String>.Continuation
    private let kept = Mutex<[String]>([])

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    /// The lines so far.
    var lines: [String] { kept.withLock { $0 } }

    func add(_ items: [Any]) {
        let line = items.map { "\($0)" }.joined(separator: " ")
        kept.withLock { $0.append(line) }
        continuation.yield(line)
    }
}
