import Testing

// The signature is not public, and no server tells a wrong signature's reason.
@testable import StrongroomReplication

/// The examples of Amazon's "S3 API Reference", "Signature Calculations for the Authorization Header: Transferring
/// Payload in a Single Chunk".
@Suite struct S3SignatureTests {
    private func signature(_ request: S3Request, path: String, token: String? = nil) -> String? {
        let credentials = S3Credentials(
            accessKey: "AKIAIOSFODNN7EXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            sessionToken: token)
        let signature = S3Signature(credentials: credentials, region: "us-east-1", timestamp: "20130524T000000Z")
        return signature.headers(request, host: "examplebucket.s3.amazonaws.com", path: path)
            .first { $0.name == "authorization" }?.value
    }

    @Test func `a read of a range is signed as in the documentation`() {
        var request = S3Request(.get, key: "test.txt")
        request.headers = [("range", "bytes=0-9")]
        #expect(
            signature(request, path: "/test.txt") == """
                AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,\
                SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,\
                Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41
                """)
    }

    @Test func `a write is signed as in the documentation`() {
        var request = S3Request(.put, key: "test$file.text")
        request.headers = [("date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY")]
        request.body = Array("Welcome to Amazon S3.".utf8)
        #expect(
            signature(request, path: "/test%24file.text")?
                .hasSuffix("98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd") == true)
    }

    @Test func `a list is signed as in the documentation`() {
        var request = S3Request(.get)
        request.query = [("prefix", "J"), ("max-keys", "2")]
        #expect(
            signature(request, path: "/")?
                .hasSuffix("34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7") == true)
    }

    @Test func `a parameter without a value is signed as in the documentation`() {
        var request = S3Request(.get)
        request.query = [("lifecycle", "")]
        #expect(
            signature(request, path: "/")?
                .hasSuffix("fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543") == true)
    }

    @Test func `a session token is sent and signed`() {
        let value = signature(S3Request(.get), path: "/", token: "token")
        #expect(value?.contains("SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token,") == true)
    }

    @Test(arguments: [
        ("a b+c&d", "a%20b%2Bc%26d"), ("grün/ß~", "gr%C3%BCn%2F%C3%9F~"), ("-._~", "-._~"), ("%2F", "%252F"), ("", ""),
    ])
    func `text is percent-encoded and decoded`(text: String, encoded: String) {
        #expect(S3Text.encoded(text) == encoded)
        #expect(S3Text.decoded(encoded) == text)
    }

    @Test(arguments: ["%", "%4", "%4g", "%ff"])
    func `text that is not percent-encoded UTF-8 is refused`(text: String) {
        #expect(S3Text.decoded(text) == nil)
    }

    @Test func `times have the forms of the protocol`() {
        #expect(S3Text.timestamp(1_369_353_600) == "20130524T000000Z")
        #expect(S3Text.seconds(ofDate: "Fri, 24 May 2013 00:00:00 GMT") == 1_369_353_600)
        #expect(S3Text.seconds(ofDate: "tomorrow") == nil)
    }
}
