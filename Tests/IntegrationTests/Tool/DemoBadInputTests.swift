import Foundation
import StrongroomTesting
import Testing

@Suite("strongroom demo, given what it cannot use")
struct DemoBadInputTests {
    /// A control file that cannot be used, and how the demo ends.
    struct BadInput: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let text: String
        let code: String
    }

    static let inputs = [
        BadInput(
            testDescription: "cut in the middle",
            text: String(DemoWorkshop.controlFile.prefix(300)),
            code: "truncated"
        ),
        BadInput(testDescription: "not a control file", text: "{\"packages\": []}\n", code: "notControlFile"),
        BadInput(testDescription: "empty", text: "", code: "empty"),
        BadInput(
            testDescription: "a malformed paragraph behind good ones",
            text: DemoWorkshop.controlFile + "Package: x\nVersion: 1\nArchitecture: all\nInstalled-Size: many\n\n",
            code: "malformedSize"
        ),
    ]

    @Test("refuses the control file and leaves the store as it was", arguments: inputs)
    func badControlFile(input: BadInput) async throws {
        let workshop = try DemoWorkshop()
        #expect(try await workshop.demo().status == 0)
        let before = try workshop.bytes(workshop.database)
        try workshop.write(input.text, to: "status")
        let outcome = try await workshop.demo("--json")
        #expect(outcome.status == 65)
        #expect((try outcome.json(\.errors)["error"] as? [String: String])?["code"] == input.code)
        #expect(outcome.output == "")
        #expect(try workshop.bytes(workshop.database) == before)
        #expect(workshop.files("data") == [".inventory.sqlite.lock", "inventory.sqlite"])
    }

    @Test("makes nothing when the input, the name or the key file is wrong")
    func nothingIsMade() async throws {
        let workshop = try DemoWorkshop()
        let missing = try await workshop.demo("--input", workshop.directory.path("none"))
        #expect(missing.status == 66)
        #expect(missing.errors.hasPrefix("error: "))
        #expect(try await workshop.demo("--name", "../inventory.sqlite").status == 64)
        #expect(try await workshop.demo("--name", "letters.sqlite").status == 78)
        #expect(try await workshop.demo("--top", "0").status == 64)
        #expect(try await workshop.demo("--unknown").status == 64)
        #expect(workshop.files("") == ["status"])
    }

    @Test("tells a machine of wrong usage in JSON, too", arguments: [["--unknown"], ["--top", "0"], ["--top"]])
    func wrongUsageInJSON(arguments: [String]) async throws {
        let workshop = try DemoWorkshop()
        let outcome = try await workshop.tool.run(["demo", "--json"] + arguments)
        #expect(outcome.status == 64)
        #expect(outcome.output.isEmpty)
        let error = try #require(try outcome.json(\.errors)["error"] as? [String: Any])
        #expect(error["code"] as? String == "usage")
        #expect((error["message"] as? String)?.contains(arguments[0]) == true)
        #expect(try await workshop.tool.run(["demo", "--json", "--help"]).status == 0)
    }

    @Test("refuses a key file that others may read")
    func openKeyFile() async throws {
        let workshop = try DemoWorkshop()
        #expect(try await workshop.demo().status == 0)
        let before = try workshop.bytes(workshop.database)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: workshop.keyFile)
        let outcome = try await workshop.demo("--json")
        #expect(outcome.status == 78)
        #expect((try outcome.json(\.errors)["error"] as? [String: String])?["code"] == "keySource")
        #expect(outcome.errors.contains("chmod 600"))
        #expect(try workshop.bytes(workshop.database) == before)
    }

    @Test("refuses a wrong key and leaves the file as it was, byte for byte")
    func wrongKey() async throws {
        let workshop = try DemoWorkshop()
        #expect(try await workshop.demo().status == 0)
        let before = try workshop.bytes(workshop.database)
        try workshop.write("another passphrase\n", to: "keys/inventory.keys")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: workshop.keyFile)
        let outcome = try await workshop.demo("--json")
        #expect(outcome.status == 78)
        #expect((try outcome.json(\.errors)["error"] as? [String: String])?["code"] == "wrongKey")
        #expect(!outcome.errors.contains("another passphrase"))
        #expect(try workshop.bytes(workshop.database) == before)
    }

    @Test("names a directory that may not be written", .enabled(if: Self.canBeBound, "root needs setpriv to be bound"))
    func readOnlyDirectory() async throws {
        let workshop = try DemoWorkshop()
        let data = workshop.directory.path("data")
        try FileManager.default.createDirectory(
            atPath: data,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o555]
        )
        let outcome = try await workshop.demo("--json", under: Self.withoutPrivileges)
        #expect(outcome.status == 77)
        #expect((try outcome.json(\.errors)["error"] as? [String: String])?["code"] == "permissionDenied")
        #expect(workshop.files("data").isEmpty)
    }

    /// Without its capabilities root, too, is held to a file's permissions.
    private static let withoutPrivileges =
        geteuid() == 0 ? ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] : []

    private static let canBeBound = geteuid() != 0 || FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")
}
