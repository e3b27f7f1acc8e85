#if S3
/// A request of S3's protocol, before it is signed.
struct S3Request: Sendable {
    let method: HTTPRequest.Method
    /// The object's key; nil for the bucket itself.
    let key: String?
    /// The query's parameters, decoded.
    var query: [(name: String, value: String)] = []
    /// Headers with lowercase names.
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []
    /// The largest number of bytes of a part of an object that is asked for; nil for no part.
    var partLength: Int?

    init(_ method: HTTPRequest.Method, key: String? = nil) {
        self.method = method
        self.key = key
    }

    /// The query percent-encoded and in the order in which it is signed.
    var encodedQuery: String {
        query.map { (S3Text.encoded($0.name), S3Text.encoded($0.value)) }
            .sorted { $0.0 == $1.0 ? $0.1 < $1.1 : $0.0 < $1.0 }
            .map { "\($0.0)=\($0.1)" }
            .joined(separator: "&")
    }
}
#endif
