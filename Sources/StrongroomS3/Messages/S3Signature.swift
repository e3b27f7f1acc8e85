#if S3
internal import Strongroom

/// AWS Signature Version 4 of a request whose body is signed.
///
/// The form is that of "Signature Calculations for the Authorization Header: Transferring Payload in a Single Chunk" in
/// Amazon's "S3 API Reference".
struct S3Signature {
    let credentials: S3Credentials
    let region: String
    /// The time as in `20130524T000000Z`.
    let timestamp: String
    var service = "s3"

    /// All headers of a request, the signature included.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - host: The value of the header `Host`.
    ///   - path: The URL's path, percent-encoded.
    func headers(_ request: S3Request, host: String, path: String) -> [(name: String, value: String)] {
        let digest = S3Text.hexadecimal(Digests.sha256(request.body))
        var headers = request.headers
        headers.append(("x-amz-content-sha256", digest))
        headers.append(("x-amz-date", timestamp))
        if let token = credentials.sessionToken { headers.append(("x-amz-security-token", token)) }

        let signed = (headers + [("host", host)]).sorted { $0.name < $1.name }
        let names = signed.map(\.name).joined(separator: ";")
        var lines = [request.method.rawValue, path, request.encodedQuery]
        lines += signed.map { "\($0.name):\(Self.trimmed($0.value))" }
        lines += ["", names, digest]

        let day = String(timestamp.prefix(8))
        let scope = "\(day)/\(region)/\(service)/aws4_request"
        let canonical = S3Text.hexadecimal(Digests.sha256(Array(lines.joined(separator: "\n").utf8)))
        let text = "AWS4-HMAC-SHA256\n\(timestamp)\n\(scope)\n\(canonical)"
        var key = credentials.signingKey(day: day, region: region, service: service)
        defer { key.withUnsafeMutableBytes { $0.wipe() } }
        let signature = S3Text.hexadecimal(Digests.authenticationCode(of: Array(text.utf8), key: key))
        headers.append(
            (
                "authorization",
                "AWS4-HMAC-SHA256 Credential=\(credentials.accessKey)/\(scope),SignedHeaders=\(names),"
                    + "Signature=\(signature)"
            ))
        return headers
    }

    /// A header's value without spaces around it, as it is signed.
    private static func trimmed(_ value: String) -> Substring {
        var value = value[...]
        while value.first == " " { value.removeFirst() }
        while value.last == " " { value.removeLast() }
        return value
    }
}
#endif
