import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("The files of a database", .ending)
struct FilesOfADatabaseTests {
    private let directory: TemporaryDirectory
    private let vault: Vault

    init() throws {
        directory = try TemporaryDirectory()
        vault = Vault(directory.path("place"), keys: .numbered(1)).with(\.protection, .envelope)
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: vault.directory).sorted() }
    }

    @Test func itIsThereOnceItIsMade() async throws {
        let stores = try Stores(vault)
        #expect(try !stores.exists("vault.sqlite"))
        #expect(!FileManager.default.fileExists(atPath: vault.directory))
        try await vault.keep("first")
        #expect(try stores.exists("vault.sqlite") && !stores.exists("vault_other.sqlite"))
        #expect(throws: StrongroomError.self) { try stores.exists("unknown.sqlite") }
    }

    @Test func everythingOfItIsRemovedAndNothingOfOthers() async throws {
        let stores = try Stores(vault)
        #expect(try await !stores.remove("vault.sqlite"))
        try await vault.keep("first")
        for name in ["vault.sqlite.other", "vault_other.sqlite"] { try await stores.open(name).close() }
        let others = try names.filter { $0.contains("other") }
        for ending in [
            "new", "rotating", "rotating-journal", "plaintext", "restoring", "fetched", "trial", "snapshot-1-",
            "snapshot-2-1.5",
            "snapshot-2-1.5-wal", "changes",
        ] {
            try Data([1]).write(to: URL(filePath: vault.beside(ending)))
        }
        for ending in ["-wal", "-journal"] { try Data([1]).write(to: URL(filePath: vault.path + ending)) }
        #expect(try await stores.remove("vault.sqlite"))
        #expect(try names == others)
        #expect(try await !stores.remove("vault.sqlite"))
        // A new one is made as if there had never been any.
        #expect(try await vault.keep("again").outcome == .created)
    }

    @Test func whatIsOpenStays() async throws {
        let stores = try Stores(vault)
        let store = try await stores.open("vault.sqlite")
        try await store.write { db in try db.execute("INSERT INTO line VALUES ('first')") }
        try await expectFailure(.alreadyOpen) { try await stores.remove("vault.sqlite") }
        #if os(Linux)
        await #expect(processExitsWith: .success) { [root = vault.directory as String, parent = getpid() as Int32] in
            let other = try Stores(Vault(root, keys: .numbered(1)))
            try await expectFailure(.locked, saying: "process \(parent)") { try await other.remove("vault.sqlite") }
        }
        #endif
        try await store.close()
        #expect(try await vault.lines() == ["first"])
        let directory = Vault(directory.path(""), keys: .numbered(1))
        try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: false)
        try await expectFailure(.notAFile) { try await Stores(directory).remove("vault.sqlite") }
    }

    @Test func anOpeningThatWaitsForARemovedDatabaseCreatesItAnew() async throws {
        let (stores, rounds) = (try Stores(vault), 20)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    for _ in 0..<rounds {
                        do { try await stores.remove("vault.sqlite") } catch let error as StrongroomError {
                            #expect([.locked, .alreadyOpen].contains(error.code), "\(error)")
                        }
                    }
                }
            }
            group.addTask {
                for round in 0..<rounds {
                    do {
                        let store = try await stores.open("vault.sqlite")
                        try await store.write { db in try db.execute("INSERT INTO line VALUES (\("\(round)"))") }
                        try await store.close()
                    } catch let error as StrongroomError {
                        #expect([.locked, .alreadyOpen].contains(error.code), "\(error)")
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
