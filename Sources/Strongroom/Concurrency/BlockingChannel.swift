import Dispatch

/// Passes elements from a task, which is suspended, to a thread, which is blocked; one element at a time.
final class BlockingChannel<Element: Sendable>: Sendable {
    private struct State {
        var element: Element?
        /// Set when there are no further elements, with the error of the sender.
        var end: Result<Void, any Error>?
        /// Whether the receiver accepts no further element.
        var isClosed = false
        var sender: CheckedContinuation<Bool, Never>?
        var firstReceiver: CheckedContinuation<Void, Never>?

        /// What the receiver returns; nil if it has to wait.
        mutating func next() -> Result<Element?, any Error>? {
            if case .failure(let error) = end { return .failure(error) }
            if let element = element.take() { return .success(element) }
            return end == nil ? nil : .success(nil)
        }
    }

    private let state = Locked(State())
    private let changed = DispatchSemaphore(value: 0)

    /// Suspends the task until the receiver has received the element.
    ///
    /// - Returns: False if the channel is closed.
    func send(_ element: Element) async -> Bool {
        await withCheckedContinuation { continuation in
            let (isClosed, firstReceiver) = state.withLock { state in
                if !state.isClosed { (state.element, state.sender) = (element, continuation) }
                return (state.isClosed, state.firstReceiver.take())
            }
            firstReceiver?.resume()
            if isClosed { continuation.resume(returning: false) } else { changed.signal() }
        }
    }

    /// Ends the elements; an error replaces an element that was not received yet.
    func finish(_ end: Result<Void, any Error>) {
        state.withLock { state in
            if state.end == nil { state.end = end }
            return state.firstReceiver.take()
        }?.resume()
        changed.signal()
    }

    /// Suspends the task until there is an element or the end.
    func waitForFirst() async {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                guard state.element == nil, state.end == nil else { return true }
                state.firstReceiver = continuation
                return false
            }
            if isReady { continuation.resume() }
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
                let result = state.next()
                return (result, result == nil ? nil : state.sender.take())
            }
            sender?.resume(returning: true)
            if let result { return try result.get() }
            changed.wait()
        }
    }

    /// Closes the channel: no further element is accepted.
    func close() {
        state.withLock { state in
            (state.isClosed, state.element) = (true, nil)
            return state.sender.take()
        }?.resume(returning: false)
    }
}
