#if S3
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

    /// Whether the same request may succeed later: the service, or a proxy before it, is overloaded or has failed.
    var isTransient: Bool { [408, 429].contains(status) || status >= 500 && ![501, 505, 507].contains(status) }
}
#endif
