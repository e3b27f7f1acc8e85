#if S3
/// The state of one request on the network: what was sent and received, and until when it may take.
///
/// It decides only; ``S3Transfer`` guards it and acts.
struct S3Exchange {
    enum Outcome: Sendable {
        case response(S3Response)
        case failure(HTTPFailure)
        case cancelled
    }

    /// The slowest transfer that is waited for, in bytes a second.
    static let slowestRate = 32 * 1024

    /// The longest answer, in bytes, unless a part of an object is asked for: no object and no list is longer.
    static let longestAnswer = 64 << 20

    /// The longest time without progress.
    let timeout: Duration
    /// The number of bytes of the request's body.
    let bodyCount: Int
    /// The largest number of bytes of the part that is asked for; nil for no part.
    private let partLength: Int?
    private let start: ContinuousClock.Instant
    private var progress: ContinuousClock.Instant
    private var sent = 0
    private var status: Int?
    private var headers: [String: String] = [:]
    private var body: [UInt8] = []
    private(set) var isExpired = false
    private(set) var outcome: Outcome?

    init(timeout: Duration, bodyCount: Int, partLength: Int? = nil, now: ContinuousClock.Instant) {
        self.timeout = timeout
        self.bodyCount = bodyCount
        self.partLength = partLength
        start = now
        progress = now
    }

    /// The length of the body that the answer announces.
    private var announced: Int? { headers["content-length"].flatMap { Int($0) } }

    /// When the request has taken too long.
    var deadline: ContinuousClock.Instant {
        let bytes = bodyCount + max(body.count, min(announced ?? 0, 1 << 40))
        return min(progress + timeout, start + timeout + .seconds(bytes / Self.slowestRate))
    }

    /// Whether the service may have received the entire request. URL sessions report the bytes of the body before they
    /// send them, so that fewer bytes than the body has are a request that cannot have been carried out.
    private var mayHaveArrived: Bool { sent >= bodyCount }

    mutating func didSend(_ total: Int, now: ContinuousClock.Instant) {
        sent = max(sent, total)
        progress = now
    }

    mutating func didReceive(status: Int, headers: [String: String], now: ContinuousClock.Instant) {
        self.status = status
        self.headers = headers
        progress = now
    }

    /// How long the body of the answer may be, in bytes. A service without parts answers with the entire object.
    private var limit: Int {
        guard let partLength else { return Self.longestAnswer }
        return status == 206 ? partLength : max(partLength, Self.longestAnswer)
    }

    /// Ends the exchange if the answer is longer than it may be: one without an end would fill the memory.
    mutating func didReceive(_ bytes: some Collection<UInt8>, now: ContinuousClock.Instant) {
        guard outcome == nil else { return }
        guard bytes.count <= limit - body.count else {
            body = []
            return end(.failure(HTTPFailure(reason: "the answer is longer than \(limit) bytes", mayHaveArrived: true)))
        }
        if body.isEmpty { body.reserveCapacity(min(announced ?? 0, 1 << 26)) }
        body.append(contentsOf: bytes)
        progress = now
    }

    /// Notes that the time is over; the URL session is then cancelled, and completes.
    ///
    /// - Returns: Whether it is.
    mutating func expire(now: ContinuousClock.Instant) -> Bool {
        guard outcome == nil, now >= deadline else { return false }
        isExpired = true
        return true
    }

    /// Ends the exchange by the URL session's report.
    ///
    /// - Parameter failure: Why it has no complete answer, and whether it had no connection; nil if it has one.
    mutating func complete(_ failure: (reason: String, hadNoServer: Bool)?) {
        guard outcome == nil else { return }
        if isExpired {
            outcome = .failure(
                HTTPFailure(reason: "no answer in \(timeout)", mayHaveArrived: mayHaveArrived))
        } else if let failure {
            outcome = .failure(
                HTTPFailure(reason: failure.reason, mayHaveArrived: mayHaveArrived && !failure.hadNoServer))
        } else {
            outcome = .init(status: status, headers: headers, body: body, announced: announced)
        }
    }

    /// Ends the exchange without the URL session's report.
    mutating func end(_ outcome: Outcome) {
        self.outcome = self.outcome ?? outcome
    }
}

extension S3Exchange.Outcome {
    /// The outcome of a transfer that ended in order.
    fileprivate init(status: Int?, headers: [String: String], body: [UInt8], announced: Int?) {
        if let status, announced == nil || announced == body.count || (300...399 ~= status && body.isEmpty) {
            self = .response(S3Response(status: status, headers: headers, body: body))
        } else {
            let reason = "the connection was lost after \(body.count) of \(announced ?? 0) bytes"
            self = .failure(HTTPFailure(reason: reason, mayHaveArrived: true))
        }
    }
}
#endif
