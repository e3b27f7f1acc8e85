import Foundation
import StrongroomTesting
import Testing

@Suite("strongroom demo")
struct DemoTests {
    @Test("stores every installed package, and updates them the second time")
    func theDemoTellsTheWholeStory() async throws {
        let workshop = try DemoWorkshop()
        let first = try await workshop.demo("--json")
        #expect(first.status == 0)
        let report = try first.json()
        #expect(report["created"] as? Bool == true)
        #expect(report["packages"] as? Int == 2)
        #expect(report["dependencies"] as? Int == 3)
        let imports = try #require(report["imports"] as? [[String: Int]])
        #expect(imports.map { $0["inserted"] } == [2, 0])
        #expect(imports.map { $0["updated"] } == [0, 2])
        #expect(imports.map { $0["skipped"] } == [1, 1])
        let reads = try #require(report["readsBesideWriter"] as? Int)
        #expect(reads >= 4)

        let second = try await workshop.demo("--json")
        let again = try second.json()
        #expect(again["created"] as? Bool == false)
        #expect(again["packages"] as? Int == 2)
        #expect(again["dependencies"] as? Int == 3)
        #expect((again["imports"] as? [[String: Int]])?.map { $0["inserted"] } == [0, 0])
    }

    @Test("leaves a file that only its owner may use and that holds none of the plaintext")
    func theFileHoldsNoPlaintext() async throws {
        let workshop = try DemoWorkshop()
        let outcome = try await workshop.demo()
        #expect(outcome.status == 0 && outcome.errors == "")
        #expect(workshop.files("data") == [".inventory.sqlite.lock", "inventory.sqlite"])
        let content = try workshop.bytes(workshop.database)
        for text in [DemoWorkshop.secret, "ledger", "Lovelace", "SQLite format 3", "CREATE TABLE"] {
            #expect(content.range(of: Data(text.utf8)) == nil, "\"\(text)\" stands in the file")
        }
        for path in [workshop.database, workshop.keyFile] {
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
        // It does not write to a terminal, so without control sequences.
        #expect(!outcome.output.unicodeScalars.contains { $0.value == 0x1B || $0.value == 0x0D })
        #expect(outcome.output.contains("2 inserted, 0 updated, 1 not installed; 3 dependencies"))
        #expect(outcome.output.contains("0 inserted, 2 updated, 1 not installed; 3 dependencies"))
        #expect(outcome.output.contains("\nledger   1.2-3      2.0 MiB  \(DemoWorkshop.secret)\n"))
        #expect(outcome.output.contains(workshop.database))
    }

    @Test("rotates a store that was made with an older key of the key file")
    func anOlderKeyIsRotated() async throws {
        let workshop = try DemoWorkshop()
        #expect(try await workshop.demo().status == 0)
        let old = try String(contentsOfFile: workshop.keyFile, encoding: .utf8)
        let handle = try FileHandle(forWritingTo: URL(filePath: workshop.keyFile))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("a new passphrase\n".utf8))
        try handle.close()
        let outcome = try await workshop.demo()
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("rotated to the newest key"))
        #expect(old.hasPrefix("raw:"))
    }

    @Test("serves the whole family", arguments: ["inventory_web1.sqlite", "inventory.2026.sqlite"])
    func otherNamesOfTheFamily(name: String) async throws {
        let workshop = try DemoWorkshop()
        #expect(try await workshop.demo("--name", name).status == 0)
        #expect(workshop.files("data") == [".\(name).lock", name])
    }

    @Test("keeps to the platform's directories when it is told none")
    func defaultDirectories() async throws {
        let workshop = try DemoWorkshop()
        let environment = [
            "XDG_DATA_HOME": workshop.directory.path("xdg-data"),
            "XDG_CONFIG_HOME": workshop.directory.path("xdg-config"),
        ]
        let outcome = try await workshop.tool.run(
            ["demo", "--input", workshop.directory.path("status")],
            environment: environment
        )
        #expect(outcome.status == 0)
        #expect(workshop.files("xdg-data/strongroom") == [".inventory.sqlite.lock", "inventory.sqlite"])
        #expect(workshop.files("xdg-config/strongroom") == ["inventory.keys"])
    }
}

@Suite("strongroom demo, given what it cannot use")
struct DemoBadInputTests {
    /// Control files that cannot be used, and how the demo ends.
    static let inputs = [
        (String(DemoWorkshop.controlFile.prefix(300)), "truncated"), ("{\"packages\": []}\n", "notControlFile"),
        ("", "empty"),
        // A malformed paragraph behind good ones.
        (
            DemoWorkshop.controlFile + "Package: x\nVersion: 1\nArchitecture: all\nInstalled-Size: many\n\n",
            "malformedSize"
        ),
    ]

    @Test("refuses the control file and leaves the store as it was", arguments: inputs)
    func badControlFile(text: String, code: String) async throws {
        let workshop = try DemoWorkshop()
        #expect(try await workshop.demo().status == 0)
        let before = try workshop.bytes(workshop.database)
        try workshop.write(text, to: "status")
        let outcome = try await workshop.demo("--json")
        #expect(outcome.status == 65)
        #expect((try outcome.json(\.errors)["error"] as? [String: String])?["code"] == code)
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

    @Test(
        "refuses a key file that others may read, and a wrong key, and leaves the file as it was, byte for byte",
        arguments: ["keySource", "wrongKey"])
    func unusableKeyFile(code: String) async throws {
        let workshop = try DemoWorkshop()
        #expect(try await workshop.demo().status == 0)
        let before = try workshop.bytes(workshop.database)
        if code == "wrongKey" { try workshop.write("another passphrase\n", to: "keys/inventory.keys") }
        let permissions = code == "wrongKey" ? 0o600 : 0o640
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: workshop.keyFile)
        let outcome = try await workshop.demo("--json")
        #expect(outcome.status == 78)
        #expect((try outcome.json(\.errors)["error"] as? [String: String])?["code"] == code)
        #expect(outcome.errors.contains("chmod 600") == (code == "keySource"))
        #expect(!outcome.errors.contains("another passphrase"))
        #expect(try workshop.bytes(workshop.database) == before)
    }
}

/// A directory with a control file, and the demo run in it.
struct DemoWorkshop {
    static let secret = "Guards the letters of Ada Lovelace"

    static let controlFile = """
        Package: ledger
        Status: install ok installed
        Architecture: amd64
        Version: 1.2-3
        Section: misc
        Installed-Size: 2048
        Maintainer: Ada Lovelace <ada@example.org>
        Depends: libc6 (>= 2.36), abacus | counting-frame
        Description: \(secret)
         A long text about letters.

        Package: abacus
        Status: install ok installed
        Architecture: all
        Version: 0.1
        Installed-Size: 12
        Description: Counts beads for the library of example

        Package: gone
        Status: deinstall ok config-files
        Architecture: all
        Version: 9
        Description: Was removed


        """

    let directory: TemporaryDirectory
    let tool: Tool

    init() throws {
        directory = try TemporaryDirectory()
        tool = try Tool()
        try write(Self.controlFile, to: "status")
    }

    var database: String { directory.path("data/inventory.sqlite") }
    var keyFile: String { directory.path("keys/inventory.keys") }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: directory.path(name)))
    }

    func bytes(_ path: String) throws -> Data {
        try Data(contentsOf: URL(filePath: path))
    }

    func files(_ folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: directory.path(folder)).sorted()) ?? []
    }

    /// Runs the demo on the directory's own files; later arguments win over these.
    func demo(_ arguments: String...) async throws -> Tool.Outcome {
        let own = [
            "demo", "--input", directory.path("status"), "--directory", directory.path("data"), "--key-file", keyFile,
        ]
        return try await tool.run(own + arguments)
    }
}
