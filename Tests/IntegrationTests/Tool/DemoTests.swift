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
        #expect(try await workshop.demo().status == 0)
        #expect(workshop.files("data") == [".inventory.sqlite.lock", "inventory.sqlite"])
        let content = try workshop.bytes(workshop.database)
        for text in [DemoWorkshop.secret, "ledger", "Lovelace", "SQLite format 3", "CREATE TABLE"] {
            #expect(content.range(of: Data(text.utf8)) == nil, "\"\(text)\" stands in the file")
        }
        for path in [workshop.database, workshop.keyFile] {
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test("is plain text without control sequences when it does not write to a terminal")
    func outputIsPlain() async throws {
        let workshop = try DemoWorkshop()
        let outcome = try await workshop.demo()
        #expect(outcome.errors == "")
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

    @Test("has help for every option")
    func help() async throws {
        let outcome = try await Tool().run(["demo", "--help"])
        #expect(outcome.status == 0)
        for option in ["--input", "--name", "--directory", "--key-file", "--search", "--top", "--json"] {
            #expect(outcome.output.contains(option))
        }
    }
}
