#if S3
/// The complete answer to a request.
struct S3Response: Sendable {
    let status: Int
    /// The headers, with lowercase names.
    let headers: [String: String]
    let body: [UInt8]
    /// The code in the body of an error, such as `NoSuchKey`.
    let code: String?
    /// The region that an error names.
    let region: String?
    /// The address that an error names.
    let address: String?
    /// Whether the same request may succeed later.
    let isTransient: Bool

    init(_ response: HTTPResponse) {
        status = response.status
        headers = response.headers
        body = response.body
        let root = status >= 300 ? S3Element(document: body) : nil
        let error = root?.name == "Error" ? root : nil
        code = error?["Code"].flatMap(Self.word)
        region = (headers["x-amz-bucket-region"] ?? error?["Region"]).flatMap(Self.word)
        isTransient = response.isTransient || code == "RequestTimeout" || code == "SlowDown"
        address = error?["Endpoint"].flatMap(Self.word) ?? headers["location"].flatMap(Self.host).flatMap(Self.word)
    }

    /// A word of the answer that may stand in a message; nil if it has other characters than codes and hosts have.
    static func word(_ text: String) -> String? {
        let isWord = text.utf8.allSatisfy { byte in
            byte < 128 && (Character(UnicodeScalar(byte)).isLetter || Character(UnicodeScalar(byte)).isNumber)
                || [UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: ":")].contains(byte)
        }
        return text.isEmpty || text.utf8.count > 100 || !isWord ? nil : text
    }

    /// The host and port of an address.
    private static func host(_ address: String) -> String? {
        let parts = address.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count > 2, parts[0].hasSuffix(":"), parts[1].isEmpty else { return nil }
        return parts[2].contains("@") ? nil : String(parts[2])
    }

    var isSuccess: Bool { 200...299 ~= status }

    /// Whether it is known that the body is complete.
    var hasLength: Bool {
        // With another coding than chunked, the body ends where the connection does.
        let coding = headers["transfer-encoding"]?.split(separator: ",").last
        let isChunked = coding?.trimmingSpace().lowercased() == "chunked"
        return headers["content-length"].map { Int($0) == body.count } ?? isChunked
    }

    /// Whether the credentials are refused because they have expired or were replaced, so that newer ones may do.
    var refusesCredentials: Bool {
        !isSuccess && ["ExpiredToken", "TokenRefreshRequired", "InvalidToken", "InvalidAccessKeyId"].contains(code)
    }

    /// The answer's status and code, for messages.
    var summary: String { code.map { "\(status) \($0)" } ?? "\(status)" }

    /// The pause that the service asks for.
    ///
    /// - Parameter now: The time, in seconds since 1970.
    func retryAfter(now: Int) -> Duration? {
        guard let text = headers["retry-after"] else { return nil }
        guard let seconds = Int(text) ?? S3Text.seconds(ofDate: text).map({ $0 - now }) else { return nil }
        return .seconds(min(max(seconds, 0), 86_400))
    }
}
#endif
