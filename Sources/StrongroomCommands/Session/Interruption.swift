import Dispatch
import Strongroom

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The handling of Ctrl-C while a command runs.
///
/// The first signal cancels the work, which ends cleanly as soon as possible. If all of its threads wait for something
/// that does not happen, such as a reader at the other end of a pipe, the process ends after a few seconds without a
/// second signal.
package enum Interruption {
    /// Runs work that Ctrl-C cancels; it ends cleanly. A second Ctrl-C ends the process immediately.
    ///
    /// - Parameter work: Cancelled by the first `SIGINT` or `SIGTERM`, and by `SIGHUP` unless that is ignored.
    /// - Returns: The result of the work.
    /// - Throws: Errors of the work; `CancellationError` if it was interrupted.
    package static func cancelling<T: Sendable>(
        _ work: @escaping @Sendable () async throws -> T
    ) async throws -> T {
        try await run(work) { _ in }
    }

    /// Runs one of several pieces of work: Ctrl-C cancels only this one, and a signal that ends a process also ends the
    /// following ones.
    ///
    /// - Parameter work: Cancelled as by ``cancelling(_:)``.
    /// - Returns: The result of the work.
    /// - Throws: Errors of the work; `CancellationError` if `SIGTERM` or `SIGHUP` was received, regardless of the
    ///   result of the work.
    package static func cancellingOne<T: Sendable>(
        _ work: @escaping @Sendable () async throws -> T
    ) async throws -> T {
        let isEnd = Locked(false)
        let result = try await run(work) { number in
            if number != SIGINT { isEnd.withLock { $0 = true } }
        }
        if isEnd.withLock({ $0 }) { throw CancellationError() }
        return result
    }

    private static func run<T: Sendable>(
        _ work: @escaping @Sendable () async throws -> T, onSignal: @escaping @Sendable (_ signal: Int32) -> Void
    ) async throws -> T {
        let session = CommandSession.current
        let running = Locked<(task: Task<T, any Error>?, isStopped: Bool)>((nil, false))
        let announcement = DispatchGroup()
        let standstill = Standstill { _exit(ExitStatus.interrupted.rawValue) }
        defer { standstill.stop() }
        var sources: [(number: Int32, source: any DispatchSourceSignal)] = []
        defer {
            for (number, source) in sources {
                source.cancel()
                signal(number, SIG_DFL)
            }
        }
        // Before the work begins, which may need cleanup immediately.
        for number in [SIGINT, SIGTERM, SIGHUP] {
            let source = await watch(number) { isFirst in
                guard isFirst else { _exit(ExitStatus.interrupted.rawValue) }
                onSignal(number)
                standstill.start()
                if !session.isForScripts, !session.console.isQuiet {
                    // On another queue: writing may block, and the second signal must still be handled.
                    DispatchQueue.global().async(group: announcement) {
                        session.console.write("\("Stopping; press again to end immediately.", .dim)", to: .errors)
                    }
                }
                let task = running.withLock { state in
                    state.isStopped = true
                    return state.task
                }
                task?.cancel()
            }
            if let source { sources.append((number, source)) }
        }
        let task = Task { try await CommandSession.$current.withValue(session, operation: work) }
        let isStopped = running.withLock { state in
            state.task = task
            return state.isStopped
        }
        if isStopped { task.cancel() }
        let result = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            task.cancel()
        }
        // Before what the command reports of its end, and not only if the process lasts long enough.
        await withCheckedContinuation { continuation in
            announcement.notify(queue: .global()) { continuation.resume() }
        }
        return try result.get()
    }

    /// Calls a function for each signal from now on.
    ///
    /// - Returns: Nil for `SIGHUP` if the process was started with it ignored, as by `nohup`.
    private static func watch(
        _ number: Int32, _ act: @escaping @Sendable (_ isFirst: Bool) -> Void
    ) async -> (any DispatchSourceSignal)? {
        #if canImport(Darwin)
        // The default action would end the process before the source is notified.
        let before = signal(number, SIG_IGN)
        #else
        let before = SignalAction.current(number)
        #endif
        guard number != SIGHUP || !SignalAction.isIgnoring(before) else { return nil }
        #if os(Linux)
        // Dispatch sets an action of its own, but only when it registers the first source of a signal. Until then the
        // default action ends the process, which has not begun.
        if let action = actions.withLock({ $0[number] }) { signal(number, action) }
        #endif
        let source = DispatchSource.makeSignalSource(signal: number, queue: DispatchQueue(label: "strongroom.signals"))
        let count = Locked(0)
        source.setEventHandler {
            let number = count.withLock { count in
                count += 1
                return count
            }
            act(number == 1)
        }
        // Dispatch registers the source on a thread of its own.
        await withCheckedContinuation { continuation in
            source.setRegistrationHandler { continuation.resume() }
            source.resume()
        }
        #if os(Linux)
        let action = SignalAction.current(number)
        actions.withLock { $0[number] = $0[number] ?? action }
        #endif
        return source
    }

    #if os(Linux)
    /// The actions that Dispatch has set for signals.
    private static let actions = Locked<[Int32: SignalAction.Handler]>([:])
    #endif
}
