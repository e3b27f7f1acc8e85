import Foundation
import Strongroom
import StrongroomTesting
import Testing

@testable import StrongroomS3

@Suite(.timeLimit(.minutes(2))) struct SourcesTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }
    let keys = ["AWS_ACCESS_KEY_ID": "AKIA", "AWS_SECRET_ACCESS_KEY": "TOP-SECRET"]
    let metadata = "http://169.254.169.254/latest"

    private func write(_ text: String, _ name: String = "file") throws -> String {
        try Data(text.utf8).write(to: directory.url.appending(path: name))
        return directory.path(name)
    }

    @Test func `without credentials the error has each source and its reason`() async throws {
        let message = try await ExchangeFixture().refusal(["HOME": directory.path("nobody")])
        for part in [
            "the environment: AWS_ACCESS_KEY_ID is not set", "AWS_WEB_IDENTITY_TOKEN_FILE is not set",
            "the profile \"default\": there is none in", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
            "there is no answer from http://169.254.169.254 (there is no such host)",
        ] {
            #expect(message.contains(part))
        }
    }

    @Test(arguments: [
        (["AWS_ACCESS_KEY_ID": "AKIA"], "AWS_SECRET_ACCESS_KEY"), (["AWS_SECRET_ACCESS_KEY": "x"], "AWS_ACCESS_KEY_ID"),
        (["AWS_SESSION_TOKEN": "x"], "AWS_ACCESS_KEY_ID"),
        (["AWS_ACCESS_KEY_ID": "AKIA", "AWS_SECRET_ACCESS_KEY": "TOP-SECRET\n"], "AWS_SECRET_ACCESS_KEY has a space"),
        (["AWS_ACCESS_KEY_ID": "AK\r\nIA", "AWS_SECRET_ACCESS_KEY": "x"], "AWS_ACCESS_KEY_ID has a space"),
        (["AWS_WEB_IDENTITY_TOKEN_FILE": "/nowhere/token"], "AWS_ROLE_ARN"),
        (["AWS_WEB_IDENTITY_TOKEN_FILE": "/nowhere/token", "AWS_ROLE_ARN": "arn"], "/nowhere/token"),
        (["AWS_PROFILE": "clinic", "HOME": "/nowhere"], "no such profile"),
        (["AWS_SHARED_CREDENTIALS_FILE": "/nowhere/file"], "/nowhere/file"),
        (["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "v2"], "must begin with"),
        (["AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://127.0.0.1.evil.example/"], "https://"),
        (["AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://10.0.0.1/"], "https://"),
        (["AWS_CONTAINER_CREDENTIALS_FULL_URI": "TOP-SECRET"], "not the address"),
        (
            ["AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://[::1]/", "AWS_CONTAINER_AUTHORIZATION_TOKEN": "a\r\nb"],
            "AWS_CONTAINER_AUTHORIZATION_TOKEN"
        ),
        (["AWS_EC2_METADATA_SERVICE_ENDPOINT": "169.254.169.254"], "AWS_EC2_METADATA_SERVICE_ENDPOINT"),
    ]) func `a source that is configured wrongly is an error, and no other one is asked`(
        _ variables: [String: String], _ part: String
    ) async throws {
        let fixture = ExchangeFixture(["PUT \(metadata)/api/token": (200, "t")])
        let message = try await fixture.refusal(variables)
        #expect(message.contains(part) && !message.contains("TOP-SECRET"))
        #expect(fixture.requests.withLock { $0.isEmpty })
    }

    @Test func `the first source that is configured is used, and the others are not asked`() async throws {
        let profile = try write("[default]\naws_access_key_id = PROFILE\naws_secret_access_key = s\n")
        let container = "http://169.254.170.2/v2/role"
        let fixture = ExchangeFixture(["GET \(container)": (200, document)])
        var variables = keys
        variables["AWS_SHARED_CREDENTIALS_FILE"] = profile
        variables["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"] = "/v2/role"
        #expect(try await fixture.credentials(variables).credentials().accessKey == "AKIA")
        variables["AWS_ACCESS_KEY_ID"] = nil
        variables["AWS_SECRET_ACCESS_KEY"] = ""
        #expect(try await fixture.credentials(variables).credentials().accessKey == "PROFILE")
        #expect(fixture.requests.withLock { $0.isEmpty })
        variables["AWS_SHARED_CREDENTIALS_FILE"] = "/dev/null"
        let found = try await fixture.credentials(variables).credentials()
        #expect(found.sessionToken == "TOKEN" && found.expiration == Date(timeIntervalSince1970: 4_105_080_000))
        #expect(
            found.signingKey(day: "d", region: "r")
                == S3Credentials(accessKey: "", secretKey: "TOP-SECRET").signingKey(day: "d", region: "r"))
    }

    @Test(arguments: [
        ("\u{FEFF}[default]\r\naws_access_key_id = A\r\naws_secret_access_key=S\r\n", "A"),
        ("# c\n; c\n\n[other]\nx = y\n[default] # c\n  AWS_ACCESS_KEY_ID=A\naws_secret_access_key =  S=", "A"),
        ("[default]\ns3 =\n  aws_access_key_id = no\naws_access_key_id = A\naws_secret_access_key = S", "A"),
        ("[default]\naws_access_key_id = A aws_secret_access_key = TOP-SECRET", "line 2"),
        ("[default]\naws_access_key_id = A\n", "no aws_secret_access_key"),
        (
            "[default]\naws_access_key_id = A\naws_secret_access_key = TOP-SECRET # new\n",
            "more than one value in line 3"
        ),
        ("[default]\naws_access_key_id = A\naws_secret", "line 3 is neither"),
        ("[default\naws_access_key_id = A\n", "line 1"), ("aws_access_key_id = A", "line 1"),
        ("[default]\naws_access_key_id =\naws_secret_access_key = TOP-SECRET\n", "aws_access_key_id is empty"),
        ("[default]\nrole_arn = r\naws_access_key_id = A\naws_secret_access_key = TOP-SECRET\n", "role_arn"),
        ("[default]\ncredential_process = /bin/TOP-SECRET\n", "credential_process, which is not supported"),
        ("[default]\nsso_session = s\n", "sso_session"), ("[default]\nregion = r\n", "it has no aws_access_key_id"),
        ("\0", "not UTF-8"),
    ]) func `a profile is read or refused by its line`(_ text: String, _ expected: String) async throws {
        let variables = [
            "AWS_SHARED_CREDENTIALS_FILE": try write(text), "AWS_CONFIG_FILE": "/dev/null",
            "AWS_EC2_METADATA_DISABLED": "true",
        ]
        if expected == "A" {
            #expect(try await ExchangeFixture().credentials(variables).credentials().accessKey == "A")
        } else {
            let message = try await ExchangeFixture().refusal(variables)
            #expect(message.contains(expected) && !message.contains("TOP-SECRET"))
        }
    }

    @Test func `a named profile is found in both files, and the one of credentials counts first`() async throws {
        try FileManager.default.createDirectory(atPath: directory.path(".aws"), withIntermediateDirectories: true)
        let keys = "aws_secret_access_key = S\naws_access_key_id ="
        _ = try write(
            "[profile \"a\"]\n\(keys) CONFIG\n[profile b]\n\(keys) B\n[sso-session b]\n\(keys) NONE", ".aws/config")
        _ = try write("[a]\n\(keys) CREDENTIALS\n", ".aws/credentials")
        for (profile, key) in [("a", "CREDENTIALS"), ("b", "B")] {
            let variables = ["HOME": directory.path(""), "AWS_PROFILE": profile]
            #expect(try await ExchangeFixture().credentials(variables).credentials().accessKey == key)
        }
    }

    @Test func `a file that has changed is read again, and half a file is not used`() async throws {
        let text = "[default]\naws_secret_access_key = S\naws_access_key_id ="
        let time = Shared(Date.now)
        let credentials = S3RenewingCredentials(
            variables: ["AWS_SHARED_CREDENTIALS_FILE": try write("\(text) 1")], now: { time.withLock { $0 } },
            exchange: ExchangeFixture().exchange)
        #expect(try await credentials.credentials().accessKey == "1")
        _ = try write("\(text) 22")
        #expect(try await credentials.credentials().accessKey == "22")
        _ = try write("[default]\naws_secret_access_key = S\n")
        #expect(try await credentials.credentials().accessKey == "22")
        _ = try write("\(text) 333")
        time.withLock { $0 += 2 }
        #expect(try await credentials.credentials().accessKey == "333")
    }

    @Test(.enabled(if: geteuid() != 0, "root may read every file"))
    func `a file that may not be read is named`() async throws {
        let path = try write("[default]\n")
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path)
        #expect(
            try await ExchangeFixture().refusal(["AWS_SHARED_CREDENTIALS_FILE": path]).contains("Permission denied"))
    }
}
