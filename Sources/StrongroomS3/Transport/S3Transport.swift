#if S3
internal import Dispatch
internal import Foundation
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// Sends requests over a limited number of HTTP connections.
final class S3Transport: Sendable {
    private let session: URLSession
    private let delegate = S3SessionDelegate()
    private let slots: S3ConnectionSlots
    private let timeout: Duration

    /// How long a request that has been cancelled may take to report what it sent.
    private static let grace: Duration = .seconds(2)

    init(timeout: Duration, connections: Int) {
        self.timeout = timeout
        slots = S3ConnectionSlots(connections)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = connections
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCredentialStorage = nil
        // The time-outs are this library's own: on Linux the session does not measure all parts of a request.
        configuration.timeoutIntervalForRequest = 86_400
        configuration.timeoutIntervalForResource = 86_400
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    deinit {
        session.finishTasksAndInvalidate()
    }

    /// Sends a request and waits for its complete answer.
    ///
    /// - Throws: `CancellationError`, or the failure.
    func send(_ request: URLRequest, bodyCount: Int, partLength: Int? = nil) async throws -> S3Response {
        try await slots.acquire()
        defer { slots.release() }
        let task = session.dataTask(with: request)
        let transfer = S3Transfer(timeout: timeout, bodyCount: bodyCount, partLength: partLength)
        delegate.register(transfer, for: task)
        defer { delegate.unregister(task) }
        let watchdog = Task { await Self.watch(transfer, task) }
        defer { watchdog.cancel() }
        let outcome = await withTaskCancellationHandler {
            await transfer.outcome { task.resume() }
        } onCancel: {
            transfer.change { $0.end(.cancelled) }
            Self.cancel(task)
        }
        switch outcome {
        case .response(let response): return response
        case .failure(let failure):
            Self.cancel(task)
            throw failure
        case .cancelled: throw CancellationError()
        }
    }

    /// Cancels a task, without an effect if it has completed. On Linux this waits for the session's queue, so that it
    /// would be a deadlock on that queue.
    private static func cancel(_ task: URLSessionTask) {
        DispatchQueue.global().async { task.cancel() }
    }

    /// Cancels a task that takes too long.
    private static func watch(_ transfer: S3Transfer, _ task: URLSessionTask) async {
        repeat {
            do { try await Task.sleep(until: transfer.deadline) } catch { return }
        } while !transfer.change { $0.expire(now: .now) }
        cancel(task)
        do { try await Task.sleep(for: grace) } catch { return }
        transfer.change {
            $0.end(.failure(HTTPFailure(reason: "the request could not be cancelled", mayHaveArrived: true)))
        }
    }
}
#endif
