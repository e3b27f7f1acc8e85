#if S3
/// One exchange over HTTP: sends a request and returns the complete answer, whatever its status. No redirection is
/// followed and nothing is repeated.
///
/// It throws ``HTTPFailure`` if there is no complete answer, and `CancellationError`. ``HTTPTransport/send(_:)`` is
/// one; tests pass closures.
typealias HTTPExchange = @Sendable (HTTPRequest) async throws -> HTTPResponse

/// A request over HTTP.
struct HTTPRequest: Sendable {
    enum Method: String {
        case get = "GET"
        case put = "PUT"
        case post = "POST"
        case delete = "DELETE"
    }

    let method: Method
    /// The URL, percent-encoded.
    let url: String
    /// Headers with lowercase names; `host` and `content-length` are added.
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []
    /// The largest number of bytes of the answer's body.
    var longestAnswer = 1 << 20
    /// The same for an answer with status 206.
    var longestPart = 1 << 20

    init(_ method: Method, _ url: String) {
        self.method = method
        self.url = url
    }
}

/// The complete answer to a request.
struct HTTPResponse: Sendable {
    let status: Int
    /// The headers, with lowercase names.
    let headers: [String: String]
    let body: [UInt8]
}
#endif
