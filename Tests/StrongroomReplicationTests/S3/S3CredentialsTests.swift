import Foundation
import Strongroom
import Testing

// The process's environment is shared by all tests, so the variables are passed.
@testable import StrongroomReplication

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

    @Test func `credentials are read from the environment`() throws {
        let variables = ["AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_SESSION_TOKEN": "c"]
        let credentials = try S3Credentials.environment(variables)
        #expect(credentials.accessKey == "a")
        #expect(credentials.sessionToken == "c")
        #expect(credentials.signingKey(day: "d", region: "r") != [])
    }

    @Test(arguments: ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"], [nil, ""])
    func `a missing variable is named`(name: String, value: String?) async {
        var variables = ["AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "do-not-print"]
        variables[name] = value
        let failure = await error { _ = try S3Credentials.environment(variables) }
        #expect(failure?.code == .invalidSetting)
        #expect(failure?.message.contains("\"\(name)\"") == true)
        #expect(failure?.message.contains("do-not-print") == false)
    }

    @Test(arguments: [
        "", "host", "ftp://host", "https://", "https://user:secret@host", "https://host?a=b", "https://host#a",
    ])
    func `an endpoint that is none is refused`(endpoint: String) async {
        let failure = await error { _ = try S3ObjectStore(bucket: "b", endpoint: endpoint, credentials: .test) }
        #expect(failure?.code == .invalidSetting)
        #expect(failure?.message.contains("secret") == false)
    }

    @Test(arguments: ["", "a/b", ".."])
    func `a bucket's name that cannot be used is refused`(bucket: String) async {
        #expect(
            await code {
                _ = try S3ObjectStore(bucket: bucket, endpoint: "https://host", credentials: .test)
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
        #expect(try location.url(S3Request(.get, key: location.key("a b")))?.absoluteString == url)
    }
}
