import Synchronization

/// What examples print: their suites have a `print` of their own, which adds a line here.
final class Printed: Sendable {
    private let all = Mutex<[String]>([])

    var lines: [String] { all.withLock { $0 } }

    func add(_ items: [Any]) {
        let line = items.map { "\($0)" }.joined(separator: " ")
        all.withLock { $0.append(line) }
    }
}
