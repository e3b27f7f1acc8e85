import Foundation
import Strongroom
import Testing

// The signature is not public, and no server tells a wrong signature's reason.
// The process's environment is shared by all tests, so the variables are passed.
// What services write in documents is pinned without a server.
@testable import StrongroomS3

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
        #expect(S3Text.seconds(ofDate: "Thu, 29 Feb 2024 23:59:59 GMT") == 1_709_251_199)
    }

    @Test(arguments: [
        "tomorrow", "", "Fr\u{616}", "Fri, 24 May 2013 00:00:00 PST", "Fri, 32 May 2013 00:00:00 GMT",
        "Fri, 24 Mai 2013 00:00:00 GMT", "Fri, 24 May 2013 24:00:00 GMT",
        "Fri, 24 May 99999999999999999999 00:00:00 GMT",
        "Friday, 24-May-13 00:00:00 GMT", "Fri, 24 May 2013 00:00 GMT",
    ])
    func `a text of a service that is no date is none`(text: String) {
        #expect(S3Text.seconds(ofDate: text) == nil)
    }
}

@Suite struct S3CredentialsTests {
    @Test func `credentials are never printed`() throws {
        let credentials = S3Credentials(accessKey: "AKID", secretKey: "do-not-print", sessionToken: "nor-this")
        let store = try S3ObjectStore(bucket: "b", endpoint: "https://host", credentials: credentials)
        var dumped = ""
        dump(credentials, to: &dumped)
        dump(store, to: &dumped)
        for text in ["\(credentials)", String(reflecting: credentials), "\(store)", String(reflecting: store), dumped] {
            #expect(!text.contains("do-not-print"))
            #expect(!text.contains("nor-this"))
        }
    }

    @Test(arguments: [
        "", "host", "ftp://host", "https://", "https://user:secret@host", "https://host?a=b", "https://host#a",
    ])
    func `an endpoint that is none is refused`(endpoint: String) async {
        let failure = await error {
            _ = try S3ObjectStore(bucket: "b", endpoint: endpoint, credentials: S3Credentials.test)
        }
        #expect(failure?.code == .invalidSetting)
        #expect(failure?.message.contains("secret") == false)
    }

    @Test(arguments: ["", "a/b", ".."])
    func `a bucket's name that cannot be used is refused`(bucket: String) async {
        #expect(
            await code {
                _ = try S3ObjectStore(bucket: bucket, endpoint: "https://host", credentials: S3Credentials.test)
            } == .invalidName)
    }

    @Test(arguments: [
        ("https://host:443/", S3ObjectStore.Addressing.path, "https://host/bucket/p/a%20b", "host"),
        ("http://Host:8080/s3/", .path, "http://host:8080/s3/bucket/p/a%20b", "host:8080"),
        ("http://[::1]:80", .path, "http://[::1]/bucket/p/a%20b", "[::1]"),
        ("https://host", .virtualHost, "https://bucket.host/p/a%20b", "bucket.host"),
    ])
    func `a bucket is addressed by path or by host`(
        endpoint: String, addressing: S3ObjectStore.Addressing, url: String, host: String
    ) throws {
        let location = try S3Location(bucket: "bucket", endpoint: endpoint, addressing: addressing, prefix: "/p/")
        #expect(location.host == host)
        #expect(try location.url(S3Request(.get, key: location.key("a b"))) == url)
    }
}

@Suite struct S3DocumentTests {
    @Test func `a document has names, text, references, comments and sections`() {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!-- a comment --><s3:List xmlns:s3="http://a/>b" a='"'>
              <Key>a&amp;b &lt;&#x20AC;&#246;&gt;</Key><Empty/><Empty a="/>" /><Key><![CDATA[<x>&amp;]]></Key></s3:List>

            """
        let root = S3Element(document: Array(text.utf8))
        #expect(root?.name == "List")
        #expect(root?["Key"] == "a&b <€ö>")
        #expect(root?.children.map(\.name) == ["Key", "Empty", "Empty", "Key"])
        #expect(root?.children.last?.text == "<x>&amp;")
    }

    @Test(arguments: [
        "", "text", "<a>", "<a></b>", "<a/><b/>", "<a/>text", "<a>&nbsp;</a>", "<a>&amp</a>", "<a><!-- </a>", "<a",
        "<!DOCTYPE a [<!ENTITY b \"c\">]><a/>", "<a b=\"></a>", "<a><b></a></b>", "</a>", "<a>&#xD800;</a>", "< a/>",
    ])
    func `a document that is not well-formed is refused`(text: String) {
        #expect(S3Element(document: Array(text.utf8)) == nil)
    }

    @Test func `every document that is cut is refused`() {
        let bytes = Array("<?xml version=\"1.0\"?><a b=\"c\"><d>e&amp;f</d><!-- g --><h/></a>".utf8)
        #expect(S3Element(document: bytes) != nil)
        for count in 0..<bytes.count { #expect(S3Element(document: Array(bytes.prefix(count))) == nil) }
    }

    @Test func `nesting has a limit`() {
        let deep = String(repeating: "<a>", count: 10_000) + String(repeating: "</a>", count: 10_000)
        #expect(S3Element(document: Array(deep.utf8)) == nil)
    }

    @Test func `a list has its objects, folders and next page`() throws {
        let text = """
            <ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>a+/=</NextContinuationToken>\
            <EncodingType>url</EncodingType><Contents><Key>a+b%2Bc</Key><Size>7</Size></Contents>\
            <CommonPrefixes><Prefix>d%C3%A9/</Prefix></CommonPrefixes></ListBucketResult>
            """
        let list = try #require(S3List(Array(text.utf8)))
        #expect(list.objects == [.init(key: "a b+c", size: 7)])
        #expect(list.prefixes == ["dé/"])
        #expect(list.nextPage == "a+/=")
    }

    @Test func `names of a list that is not percent-encoded stay as they are`() throws {
        let text = """
            <ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>a+b%2B&amp;</Key><Size>0</Size>\
            </Contents></ListBucketResult>
            """
        #expect(try #require(S3List(Array(text.utf8))).objects.map(\.key) == ["a+b%2B&"])
    }
}

@Suite struct S3RetriesTests {
    @Test func `pauses grow, have jitter, a limit, and follow the service`() {
        let retries = S3Retries()
        #expect(retries.pause(after: 1, retryAfter: nil, jitter: 1) == .milliseconds(200))
        #expect(retries.pause(after: 3, retryAfter: nil, jitter: 0.5) == .milliseconds(400))
        #expect(retries.pause(after: 1, retryAfter: .seconds(3), jitter: 1) == .seconds(3))
        #expect(retries.pause(after: 1, retryAfter: .seconds(3000), jitter: 1) == retries.longestPause)
        #expect(retries.pause(after: retries.attempts, retryAfter: nil, jitter: 1) == nil)
    }
}
