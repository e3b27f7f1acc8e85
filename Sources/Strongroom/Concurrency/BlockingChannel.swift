import Dispatch

/// Passes elements from a task, which is suspended, to a thread, which is blocked; one element at a time.
final class BlockingChannel<Element: Sendable>: Sendable {
    private struct State {
        var element: Element?
        /// Set when there are no further elements, with the error of the sender.
        var end: Result<Void, any Error>?
        /// Whether the receiver takes no further element.
        var isClosed = false
        var sender: CheckedContinuation<Bool, Never>?
        var starter: CheckedContinuation<Void, Never>?

        /// What the receiver gets; nil if it has to wait.
        mutating func take() -> Result<Element?, any Error>? {
            if case .failure(let error) = end { return .failure(error) }
            if let element = element.take() { return .success(element) }
            return end == nil ? nil : .success(nil)
        }
    }

    private let state = Locked(State())
    private let changed = DispatchSemaphore(value: 0)

    /// Suspends the task until the receiver has taken the element.
    ///
    /// - Returns: False if the receiver takes no further element.
    func send(_ element: Element) async -> Bool {
        await withCheckedContinuation { continuation in
            let (isClosed, starter) = state.withLock { state in
                if !state.isClosed { (state.element, state.sender) = (element, continuation) }
                return (state.isClosed, state.starter.take())
            }
            starter?.resume()
            if isClosed { continuation.resume(returning: false) } else { changed.signal() }
        }
    }

    /// Ends the elements; an error takes the place of an element that was not taken yet.
    func finish(_ end: Result<Void, any Error>) {
        state.withLock { state in
            if state.end == nil { state.end = end }
            return state.starter.take()
        }?.resume()
        changed.signal()
    }

    /// Suspends the task until there is an element or the end.
    func waitForFirst() async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                guard state.element == nil, state.end == nil else { return true }
                state.starter = continuation
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// Blocks the thread until there is an element or the end.
    ///
    /// - Returns: Nil at the end.
    /// - Throws: The sender's error.
    func receive() throws -> Element? {
        while true {
            let (result, sender) = state.withLock {
                state -> (Result<Element?, any Error>?, CheckedContinuation<Bool, Never>?) in
                let result = state.take()
                return (result, result == nil ? nil : state.sender.take())
            }
            sender?.resume(returning: true)
            if let result { return try result.get() }
            changed.wait()
        }
    }

    /// Takes no further element.
    func close() {
        state.withLock { state in
            (state.isClosed, state.element) = (true, nil)
            return state.sender.take()
        }?.resume(returning: false)
    }
}
