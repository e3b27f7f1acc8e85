import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("Finding a database's configuration")
struct ConfigurationLookupTests {
    private struct Cellar: Configuration {
        static let target = "cellar"
        let directory: String

        func filePath(for database: DatabaseName) -> String? { "\(directory)/\(database)" }
        func keyChain(for database: DatabaseName) throws -> KeyChain { try KeyChain(.numbered(2)) }
    }

    private struct SecondCellar: Configuration {
        static let target = "cellar"
        func keyChain(for database: DatabaseName) throws -> KeyChain { .plaintext }
    }

    private struct Shed: Configuration {
        static let target = "shed"
        func keyChain(for database: DatabaseName) throws -> KeyChain { .plaintext }
    }

    private struct Misnamed: Configuration {
        nonisolated(unsafe) static var target = ""  // set by one test alone
        func keyChain(for database: DatabaseName) throws -> KeyChain { .plaintext }
    }

    /// Notes what it is asked.
    private struct Witness: Configuration {
        static let target = "witness"
        let directory: String
        let asked: @Sendable (String, DatabaseName) -> Void

        func filePath(for database: DatabaseName) -> String? {
            asked("path", database)
            return "\(directory)/\(database)"
        }
        func keyChain(for database: DatabaseName) throws -> KeyChain {
            asked("keys", database)
            return try KeyChain(.numbered(3))
        }
        func migrator(for database: DatabaseName) -> Migrator? {
            asked("migrator", database)
            return nil
        }
        func settings(for database: DatabaseName) -> StoreSettings {
            asked("settings", database)
            return StoreSettings()
        }
    }

    @Test func everyDatabaseOfAFamilyIsServedByItsConfiguration() async throws {
        let directory = try TemporaryDirectory()
        let stores = try Stores(Cellar(directory: directory.path("c")), Vault(directory.path("v"), keys: .numbered(1)))
        #expect(stores.targets == ["cellar", "vault"])
        for name in ["cellar.sqlite", "cellar_red.sqlite", "cellar", "vault.sqlite", "vault.old.sqlite"] {
            let store = try await stores.open(name)
            #expect(store.name.fileName == name)
            #expect(store.path == directory.path("\(name.prefix(1))/\(name)"))
        }
        try await stores.closeAll()
    }

    @Test(arguments: ["witness", "witness_alice.sqlite", "witness.a_b"])
    func theConfigurationIsToldTheFullName(name: String) async throws {
        let directory = try TemporaryDirectory()
        let asked = Locked<[String]>([])
        let witness = Witness(directory: directory.path("")) { question, database in
            asked.withLock { $0.append("\(question) of \(database)") }
        }
        try await Stores(witness).open(name).close()
        let expected = ["path", "keys", "migrator", "settings"].map { "\($0) of \(name)" }
        #expect(asked.withLock { $0.sorted() } == expected.sorted())
    }

    @Test func aTargetWithoutAConfigurationIsNamedWithThoseThatHaveOne() async throws {
        let stores = try Stores(Cellar(directory: "/none"), Shed())
        let error = try await expectFailure(.noConfiguration) { try await stores.open("attic_left.sqlite") }
        #expect(error.message.contains("\"attic\""))
        #expect(error.message.contains("cellar, shed"))
        #expect(error.database == "attic_left.sqlite")
        // Letters are told apart.
        for name in ["Cellar.sqlite", "cellars.sqlite", "cella.sqlite"] {
            try await expectFailure(.noConfiguration) { try await stores.open(name) }
        }
        try await expectFailure(.noConfiguration, saying: "none is registered") { try await Stores().open("attic") }
    }

    @Test func aSecondConfigurationForATargetIsRefusedAndTheFirstStays() async throws {
        let directory = try TemporaryDirectory()
        let first = Cellar(directory: directory.path(""))
        try expectFailure(.duplicateConfiguration, saying: "Cellar and SecondCellar", "\"cellar\"") {
            try Stores(first, SecondCellar())
        }
        let stores = Stores()
        try await expectFailure(.noConfiguration) { try await stores.open("cellar.sqlite") }
        try stores.register(first)
        try expectFailure(.duplicateConfiguration) { try stores.register(SecondCellar()) }
        let store = try await stores.open("cellar.sqlite")
        #expect(store.path == directory.path("cellar.sqlite"))
        try await store.close()
    }

    @Test func aTargetThatNoNameHasIsRefused() throws {
        for target in ["a_b", "a.b", "_a", "", "a/b", "..", "a\0", "a_\u{301}"] {
            Misnamed.target = target
            try expectFailure(.invalidName, "\(target)") { try Stores(Misnamed()) }
        }
        Misnamed.target = "a-b"
        #expect(try Stores(Misnamed()).targets == ["a-b"])
    }
}

@Suite("Configurations that open databases", .ending)
struct CircularOpeningTests {
    private let directory = TemporaryDirectory.ofSuite()

    /// A vault whose databases need others to be opened first.
    private func vault(_ stores: Stores, _ needs: [String: [String]]) -> Vault {
        Vault(directory.path("files")) { name in
            for other in needs["\(name)"] ?? [] { _ = try await stores.open(other) }
            return try KeyChain(.numbered(1))
        }
    }

    @Test func aDatabaseMayNeedAnother() async throws {
        let stores = Stores()
        let needs = ["vault_a.sqlite": ["vault_b.sqlite"], "vault_b.sqlite": ["vault_c.sqlite"]]
        try stores.register(vault(stores, needs))
        let store = try await stores.open("vault_a.sqlite")
        #expect(store.openReport.outcome == .created)
        #expect(try await stores.open("vault_c.sqlite").openReport.outcome == .created)
        try await stores.closeAll()
    }

    @Test(
        "a circle is an error, not a wait without end",
        arguments: [
            ["vault_a.sqlite": ["vault_a.sqlite"]],
            ["vault_a.sqlite": ["vault_b.sqlite"], "vault_b.sqlite": ["vault_a.sqlite"]],
            [
                "vault_a.sqlite": ["vault_d.sqlite", "vault_b.sqlite"], "vault_b.sqlite": ["vault_c.sqlite"],
                "vault_c.sqlite": ["vault_a.sqlite"],
            ],
        ])
    func aCircle(needs: [String: [String]]) async throws {
        let stores = Stores()
        try stores.register(vault(stores, needs))
        for _ in 0..<2 {
            let error = try await expectFailure(.nestedAccess) { try await stores.open("vault_a.sqlite") }
            // Which of them finds the circle depends on the schedule; all of it is named wherever that is.
            for name in needs.keys { #expect(error.message.contains("\"\(name)\"")) }
            #expect(needs.keys.contains(error.database ?? ""))
        }
        try await stores.closeAll()
    }

    @Test func twoTasksThatWaitForEachOtherFindTheCircle() async throws {
        for _ in 0..<20 {
            let stores = Stores()
            let needs = ["vault_a.sqlite": ["vault_b.sqlite"], "vault_b.sqlite": ["vault_a.sqlite"]]
            try stores.register(vault(stores, needs))
            let names = ["vault_a.sqlite", "vault_b.sqlite"]
            let failures = await withTaskGroup(of: StrongroomError?.self) { group in
                for name in names {
                    group.addTask {
                        do {
                            _ = try await stores.open(name)
                            return nil
                        } catch { return error as? StrongroomError }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(failures.map { $0?.code } == [.nestedAccess, .nestedAccess])
        }
    }

    @Test func aTaskThatOutlivesItsOpeningMayOpenTheSameDatabase() async throws {
        let (started, start) = AsyncStream<Void>.makeStream()
        let later = Locked<Task<Store, any Error>?>(nil)
        let stores = Stores()
        try stores.register(
            Vault(directory.path("files")) { _ in
                let task = Task {
                    for await _ in started {}
                    return try await stores.open("vault.sqlite")
                }
                later.withLock { $0 = task }
                return try KeyChain(.numbered(1))
            })
        let store = try await stores.open("vault.sqlite")
        start.finish()
        #expect(try await later.withLock { $0 }?.value === store)
        try await stores.closeAll()
    }
}

@Suite("Names of databases")
struct DatabaseNameTests {
    @Test(arguments: [
        ("aaa.sqlite", "aaa"),
        ("aaa_bbb.sqlite", "aaa"),
        ("aaa.abc.sqlite", "aaa"),
        ("aaa_bbb", "aaa"),
        ("aaa", "aaa"),
        ("aaa_bbb_ccc.sqlite", "aaa"),
        ("aaa._", "aaa"),
        ("a-b c'd\"e.sqlite", "a-b c'd\"e"),
        ("Straße_é.sqlite", "Straße"),
        ("字.sqlite", "字"),
        ("aaa_\u{301}bbb", "aaa"),
    ])
    func theTargetIsThePartBeforeTheFirstUnderscoreOrDot(fileName: String, target: String) throws {
        let name = try DatabaseName(fileName)
        #expect(name.target == target)
        #expect(name.fileName == fileName)
        #expect(name.description == fileName)
    }

    @Test(arguments: [
        "", ".", "..", "/", "\\", "a/b", "a\\b", "../x", "x/..", "/etc/passwd", "..\\x",
        "a\0", "\0", "a\n", "a\u{1B}[31m", "a\u{7F}", "a\u{85}",
        "_", "_a", ".a", ".a.sqlite", "_a.sqlite",
        String(repeating: "a", count: 201), String(repeating: "é", count: 100) + "a",
    ])
    func aNameThatCouldLeaveItsDirectoryOrHasNoTargetIsRefused(fileName: String) async throws {
        let error = try expectFailure(.invalidName, saying: "Use a file's name") { try DatabaseName(fileName) }
        // Whatever stands in the name, the message can be printed: a control character would reach the terminal.
        #expect(!error.description.unicodeScalars.contains { $0.properties.generalCategory == .control })
        let directory = try TemporaryDirectory()
        let vault = Vault(directory.path("inside")) { _ in
            Issue.record("the configuration was asked for keys")
            return .plaintext
        }
        let stores = try Stores(vault)
        try await expectFailure(.invalidName) { try await stores.open(fileName) }
        #expect(try DirectorySnapshot(directory.path("")).names == [])
    }

    @Test(arguments: ["vault_" + String(repeating: "a", count: 194), "vault_" + String(repeating: "é", count: 97)])
    func aNameOfTwoHundredBytesIsTheLongestAndCanBeOpened(fileName: String) async throws {
        #expect(fileName.utf8.count == 200)
        let directory = try TemporaryDirectory()
        let store = try await Stores(Vault(directory.path(""), keys: .numbered(1))).open(fileName)
        try await store.write { db in try db.execute("INSERT INTO line VALUES ('a')") }
        try await store.close()
    }

    @Test func namesAreEqualByTheirText() throws {
        #expect(try DatabaseName("a.sqlite") == DatabaseName("a.sqlite"))
        #expect(try DatabaseName("a.sqlite") != DatabaseName("a_b.sqlite"))
        #expect(try Set([DatabaseName("a"), DatabaseName("a"), DatabaseName("b")]).count == 2)
        #expect(try DatabaseName("a_é") != DatabaseName("a_e\u{301}"))
    }
}
