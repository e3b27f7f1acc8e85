import Synchronization

/// Tells work, from any thread, that nobody wants it any more.
final class CancellationFlag: Sendable {
    private let value = Atomic<Bool>(false)

    var isSet: Bool { value.load(ordering: .relaxed) }

    func set() { value.store(true, ordering: .relaxed) }

    /// Forgets that it was set.
    ///
    /// - Returns: Whether it was.
    @discardableResult
    func clear() -> Bool { value.exchange(false, ordering: .relaxed) }

    /// - Throws: `CancellationError` when it is set.
    func check() throws {
        if isSet { throw CancellationError() }
    }
}
