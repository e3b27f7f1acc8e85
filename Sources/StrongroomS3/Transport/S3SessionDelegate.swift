#if S3
internal import Foundation
internal import Strongroom
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// Gives what a URL session reports to the transfers that it is about.
final class S3SessionDelegate: NSObject, URLSessionDataDelegate {
    private let transfers = Locked<[Int: S3Transfer]>([:])

    func register(_ transfer: S3Transfer, for task: URLSessionTask) {
        transfers.withLock { $0[task.taskIdentifier] = transfer }
    }

    func unregister(_ task: URLSessionTask) {
        transfers.withLock { $0[task.taskIdentifier] = nil }
    }

    private func change(_ task: URLSessionTask, _ body: (inout S3Exchange) -> Void) {
        transfers.withLock { $0[task.taskIdentifier] }?.change(body)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        change(task) { $0.didSend(Int(totalBytesSent), now: .now) }
    }

    /// On Linux a request on a reused connection that the service has closed is sent again by the session itself, but
    /// without its body, for which the service would wait until the time-out. Here the request fails at once, and is
    /// repeated as after any lost response.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        completionHandler(nil)
        change(task) {
            $0.end(.failure(HTTPFailure(reason: "the service closed the connection", mayHaveArrived: true)))
        }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        note(response, of: dataTask)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        change(dataTask) { $0.didReceive(data, now: .now) }
    }

    /// A redirected request would need another signature, and a bucket does not move: the answer is reported.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        // On Linux a redirection is not reported as a response before.
        if error == nil, let response = task.response { note(response, of: task) }
        change(task) { $0.complete(error.map(Self.failure)) }
    }

    private func note(_ response: URLResponse, of task: URLSessionTask) {
        guard let response = response as? HTTPURLResponse else { return }
        let fields = response.allHeaderFields.compactMap { name, value in
            (name as? String).flatMap { name in (value as? String).map { (name.lowercased(), $0) } }
        }
        let headers = Dictionary(fields) { $1 }
        change(task) { $0.didReceive(status: response.statusCode, headers: headers, now: .now) }
    }

    /// The reason for a failure, without the address, and whether no server was found.
    private static func failure(_ error: any Error) -> (reason: String, hadNoServer: Bool) {
        guard let error = error as? URLError else { return ("the connection failed", false) }
        switch error.code {
        case .cannotFindHost, .dnsLookupFailed: return ("the host is not known", true)
        case .cannotConnectToHost: return ("the server refuses connections", false)
        case .notConnectedToInternet: return ("there is no network", false)
        case .networkConnectionLost, .badServerResponse: return ("the connection was lost", false)
        case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid:
            return ("the TLS connection failed (see the server's certificate)", true)
        default: return ("the connection failed (\(error.localizedDescription))", false)
        }
    }
}
#endif
