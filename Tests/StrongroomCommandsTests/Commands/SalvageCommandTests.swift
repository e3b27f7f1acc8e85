import Foundation
import Strongroom
import StrongroomCommands
import StrongroomTesting
import Testing

@Suite("Salvaging a damaged file from a terminal", .ending)
struct SalvageCommandTests {
    private struct Answer: Decodable {
        struct Table: Decodable {
            let name: String
            let complete: Bool
            let rowsCopied: Int
            let rowsFound: Int
            let rowsLost: Int
            let lossCounted: Bool
            let lostRowIDs: [[Int64]]
        }

        struct Page: Decodable {
            let number: Int
        }

        let file: String
        let complete: Bool
        let rows: Int
        let tables: [Table]
        let damagedPages: [Page]
    }

    private let ledger: Ledger
    private var target: String { ledger.directory.path("rescue/ledger.sqlite") }

    init() throws { ledger = try Ledger(keys: [.raw(Array(repeating: 3, count: 32))]) }

    private func rowsInTarget() async throws -> Int {
        var rescued = ledger
        rescued.configuration = Ledger.Configuration(
            directory: ledger.directory.path("rescue"), keys: ledger.configuration.keys)
        return try await rescued.rows()
    }

    @Test func `what can be read comes over and what is lost is told`() async throws {
        try await ledger.make(rows: 1_200)
        let whole = try ledger.bytes(ledger.path())
        let size = try CipherSettings.engineDefault().pageSize
        var statuses: Set<Int32> = []
        // Those of the table and of its index.
        for page in stride(from: 3, through: whole.count / size, by: size == 1_024 ? 9 : 2) {
            try whole.write(to: URL(filePath: ledger.path()))
            try ledger.damage(page: page)
            let damaged = try ledger.bytes(ledger.path())
            try? FileManager.default.removeItem(atPath: target)
            let run = try await ledger.run("salvage", "ledger.sqlite", "--to", target, "--json")
            let answer = try run.json(Answer.self)
            #expect(answer.file == target && answer.damagedPages.map(\.number) == [page])
            let entry = try #require(answer.tables.first { $0.name == "entry" })
            // Without the versions' table the file could not be opened with its configuration.
            if answer.tables.allSatisfy({ $0.complete || $0.name == "entry" }) {
                #expect(try await rowsInTarget() == entry.rowsCopied)
            }
            // Its index tells how many there were, unless that is what is damaged.
            #expect(entry.rowsCopied + entry.rowsLost == 1_200 && entry.lossCounted, "page \(page)")
            #expect(run.status == (answer.complete ? .success : .failure), "page \(page)")
            #expect(entry.complete == (entry.rowsLost == 0) && entry.lostRowIDs.isEmpty == entry.complete)
            if !answer.complete {
                let failure = try run.failure()
                #expect(failure.code == "incomplete" && failure.message.contains("entry") == !entry.complete)
            }
            statuses.insert(run.status.rawValue)
            #expect(try ledger.bytes(ledger.path()) == damaged)
        }
        #expect(statuses == [0, 1])
    }

    @Test func `a person is told in a few lines`() async throws {
        try await ledger.make(rows: 1_200)
        let whole = try await ledger.run("salvage", "ledger.sqlite", "--to", target)
        #expect(whole.status == .success && whole.output.hasPrefix("Salvaged: \(target), "), "\(whole.errors)")
        #expect(whole.output.contains("no damaged page") && !whole.output.contains("lost"))
        try FileManager.default.removeItem(atPath: target)
        let size = try CipherSettings.engineDefault().pageSize
        for page in 3...min(40, try ledger.bytes(ledger.path()).count / size) { try ledger.damage(page: page) }
        let keys = try ledger.keyFile("raw:" + String(repeating: "03", count: 32))
        let run = try await ledger.run("salvage", ledger.path(), "--key-file", keys, "--to", target)
        #expect(run.status == .failure && run.output.contains("entry: ") && run.errors.contains("keep"))
        #expect(run.output.split(separator: "\n").count < 10)
    }

    @Test func `nothing is overwritten and what is no database is refused`() async throws {
        try await ledger.make()
        let before = try ledger.bytes(ledger.path())
        let run = try await ledger.run("salvage", "ledger.sqlite", "--to", target, "--json")
        #expect(run.status == .success)
        let made = try ledger.bytes(target)
        try await ledger.fails("salvage", "ledger.sqlite", "--to", target, with: "exists", .cannotCreate)
        #expect(try ledger.bytes(target) == made)
        try await ledger.fails("salvage", "ledger.sqlite", "--to", ledger.path(), with: "sameFile", .usage)
        let other = ledger.directory.path("other.sqlite")
        for absent in [ledger.path("none.sqlite"), "ledger_none.sqlite"] {
            #expect(try await ledger.run("salvage", absent, "--to", other, "--json").status == .noInput)
        }
        let keys = try ledger.keyFile("raw:" + String(repeating: "04", count: 32))
        let wrong = try await ledger.run("salvage", ledger.path(), "--key-file", keys, "--to", other, "--json")
        #expect(wrong.status == .configuration)
        #expect(try ledger.bytes(ledger.path()) == before && !FileManager.default.fileExists(atPath: other))
    }

    @Test func `a damaged first page is exit code 65 and leaves nothing`() async throws {
        try await ledger.make()
        try ledger.damage(page: 1)
        try await ledger.fails("salvage", "ledger.sqlite", "--to", target, with: "damaged", .dataError)
        #expect(try FileManager.default.contentsOfDirectory(atPath: ledger.directory.path("rescue")).isEmpty)
    }

    @Test func `who is sent to it finds it`() async throws {
        try await ledger.make(rows: 1_200)
        try ledger.damage(page: 5)
        let told = try await ledger.run("doctor", "ledger.sqlite").output
        #expect(told.contains("`salvage FILE --to NEW`"))
        #expect(try await ledger.run("verify", "ledger.sqlite").errors.contains("`salvage`"))
        #expect(try await ledger.run("help", "salvage").output.contains("--no-lost-and-found"))
    }
}

/// What a command writes besides its database, and what it must not write over.
@Suite("Files that a command names", .ending)
struct ForeignFileTests {
    private let ledger: Ledger

    init() async throws {
        ledger = try Ledger()
        try await ledger.make()
    }

    private func file(_ name: String, _ content: String) throws -> String {
        let path = ledger.directory.path(name)
        try Data(content.utf8).write(to: URL(filePath: path))
        return path
    }

    private func copy(_ name: String = "copy.sqlite") async throws -> String {
        let path = ledger.directory.path(name)
        #expect(try await ledger.run("backup", "ledger.sqlite", path).status == .success)
        return path
    }

    @Test func aKeyFileIsNeitherWrittenNorImported() async throws {
        let keys = try ledger.keyFile(Ledger.secrets[0])
        let other = try ledger.keyFile("another one", name: "other")
        let link = ledger.directory.path("link.csv")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: keys)
        let copy = try await copy()
        let database = ledger.path()
        for arguments in [
            ["export", database, "entry", "-o", keys, "--force"], ["export", database, "entry", "-o", link, "--force"],
            ["backup", database, keys, "--force"], ["backup", database, other, "--force", "--new-key-file", other],
            ["import", database, "entry", keys], ["restore", copy, keys, "--force"],
        ] {
            let run = try await ledger.run(arguments + ["--key-file", keys, "--json"])
            #expect(run.status == .usage, "\(arguments)")
            #expect(try run.failure().code == "keyFile", "\(arguments)")
        }
        #expect(try ledger.bytes(keys) == Data("\(Ledger.secrets[0])\n".utf8))
        #expect(try ledger.bytes(other) == Data("another one\n".utf8))
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == keys)
    }

    @Test func keysAreKnownByWhatStandsInTheFile() async throws {
        // Those of the configuration, whose path nobody gives, and such as no database here has.
        let ledger = try await Ledger.made(keys: [.passphrase(Ledger.passphrases[0])])
        let own = try ledger.keyFile("an older one", Ledger.passphrases[0], mode: 0o644)
        let random = ledger.directory.path("random")
        #expect(try await ledger.run("keys", "make", random).status == .success)
        for path in [own, random] {
            let before = try ledger.bytes(path)
            for arguments in [
                ["export", "ledger.sqlite", "entry", "-o", path, "--force"],
                ["backup", "ledger.sqlite", path, "--force"], ["import", "ledger.sqlite", "entry", path],
            ] {
                try await ledger.fails(arguments, with: "keyFile")
            }
            #expect(try ledger.bytes(path) == before)
        }
    }

    @Test func anExportReplacesATextAlone() async throws {
        let text = try file("old.csv", "id,text\n1,é\n")
        #expect(try await ledger.run("export", "ledger.sqlite", "entry", "-o", text, "--force").status == .success)
        #expect(try ledger.bytes(text).starts(with: Data("id,text\r\n1,row 0".utf8)))
        try await ledger.make("ledger_other.sqlite")
        let plain = try file("plain.sqlite", "SQLite format 3\0")
        let busy = try file("busy", "")
        _ = try file("busy-wal", "log")
        let copy = try await copy()
        for path in [ledger.path("ledger_other.sqlite"), plain, busy, copy] {
            let before = try ledger.bytes(path)
            try await ledger.fails(
                "export", "ledger.sqlite", "entry", "-o", path, "--force", with: "notText", .cannotCreate)
            #expect(try ledger.bytes(path) == before)
        }
    }

    @Test func aBackupReplacesADatabaseAlone() async throws {
        let copy = try await copy()
        let again = try await ledger.run("backup", "ledger.sqlite", copy, "--force")
        #expect(again.status == .success, "\(again.errors)")
        for content in ["a,b\n1,2\n", String(repeating: "x", count: 4_096)] {
            let path = try file("notes", content)
            try await ledger.fails("backup", "ledger.sqlite", path, "--force", with: "notADatabase")
            #expect(try ledger.bytes(path) == Data(content.utf8))
        }
        let log = ledger.path() + "-wal"
        #expect(try await ledger.run("backup", "ledger.sqlite", log, "--json").failure().code == "sameFile")
    }

    @Test func aDeviceIsNotReplaced() async throws {
        let link = ledger.directory.path("device")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/dev/null")
        for path in [link, ledger.directory.path("")] {
            for command in [["export", "ledger.sqlite", "entry", "-o", path], ["backup", "ledger.sqlite", path]] {
                let run = try await ledger.run(command + ["--force", "--json"])
                #expect(try run.failure().code == "notAFile", "\(command)")
                #expect(run.status == .cannotCreate)
            }
        }
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "/dev/null")
    }

    @Test func aHyphenIsStandardOutput() async throws {
        let run = try await ledger.run("export", "ledger.sqlite", "entry", "-o", "-")
        #expect(run.status == .success && run.output.hasPrefix("id,text\r\n1,row 0\r\n"))
        #expect(!FileManager.default.fileExists(atPath: "-"))
    }

    @Test func whatIsThereAlreadyHasOneCode() async throws {
        let text = try file("old.csv", "x")
        let keys = try ledger.keyFile(Ledger.secrets[0])
        let copy = try await copy()
        for arguments in [
            ["export", "ledger.sqlite", "entry", "-o", text], ["backup", "ledger.sqlite", copy],
            ["restore", copy, "ledger.sqlite"], ["keys", "make", keys],
        ] {
            try await ledger.fails(arguments, with: "exists", .cannotCreate)
        }
    }

    /// The backup opens with other keys, so nothing but a second time shows whether the new one was meant.
    @Test func theKeyThatARestoredFileGetsIsTypedTwice() async throws {
        let copy = try await copy()
        let keys = try ledger.keyFile(Ledger.secrets[0])
        let target = ledger.directory.path("new.sqlite")
        func restore(_ answers: String...) async throws -> Ledger.Run {
            try await ledger.run(["restore", copy, target, "--backup-key-file", keys, "--json"], answers: answers)
        }
        let wrong = try await restore(Ledger.secrets[1], Ledger.secrets[2])
        #expect(wrong.status == .configuration && wrong.errors.contains("keysDiffer"))
        #expect(!FileManager.default.fileExists(atPath: target))
        #expect(try await restore(Ledger.secrets[1], Ledger.secrets[1]).status == .success)
        #expect(try await ledger.run("tables", target, typed: Ledger.secrets[1]).status == .success)
    }
}

@Suite("adopt")
struct AdoptCommandTests {
    private let ledger: Ledger

    init() throws { ledger = try Ledger() }

    @Test func aRenamedDatabaseIsOpenedOnceThatIsSaid() async throws {
        try await ledger.make("ledger_a.sqlite")
        try FileManager.default.moveItem(atPath: ledger.path("ledger_a.sqlite"), toPath: ledger.path("ledger_b.sqlite"))
        let refused = try await ledger.run("migrate", "ledger_b.sqlite", "--json")
        #expect(refused.status == .configuration)
        let failure = try refused.failure()
        #expect(failure.code == "otherDatabase")
        #expect(failure.message.contains("strongroom adopt ledger_b.sqlite --from ledger_a.sqlite"))
        let run = try await ledger.run("adopt", "ledger_b.sqlite", "--from", "ledger_a.sqlite")
        #expect(run.status == .success, "\(run.errors)")
        #expect(try await ledger.rows("ledger_b.sqlite") == 3)
        // A file without a configuration has no name to compare.
        let keys = try ledger.keyFile(Ledger.secrets[0])
        let path = ["adopt", ledger.path("ledger_b.sqlite"), "--from", "x.sqlite", "--key-file", keys]
        #expect(try await ledger.run(path).status != .success)
    }

    @Test func aBackupOfAnotherDatabaseIsRestoredOnceThatIsSaid() async throws {
        try await ledger.make("ledger_a.sqlite")
        let backup = ledger.directory.path("backup.sqlite")
        #expect(try await ledger.run("backup", "ledger_a.sqlite", backup).status == .success)
        try await ledger.fails("restore", backup, "ledger_b.sqlite", with: "otherDatabase", .configuration)
        #expect(!FileManager.default.fileExists(atPath: ledger.path("ledger_b.sqlite")))
        let run = try await ledger.run("restore", backup, "ledger_b.sqlite", "--adopt-from", "ledger_a.sqlite")
        #expect(run.status == .success, "\(run.errors)")
        #expect(try await ledger.rows("ledger_b.sqlite") == 3)
    }
}

/// What a command must not read, write or tell.
@Suite("A database's own files", .ending)
struct OwnFilesTests {
    @Test(arguments: ["", "-wal", "-shm", "-journal", ".keys", ".keys.copy"])
    func theDatabaseIsNeitherExportedOntoNorImported(ending: String) async throws {
        let ledger = try await Ledger.made()
        let before = try ledger.bytes(ledger.path())
        let path = ledger.path() + ending
        try await ledger.fails("export", "ledger.sqlite", "entry", "-o", path, "--force", with: "sameFile")
        try await ledger.fails("import", "ledger.sqlite", "entry", path, with: "sameFile")
        #expect(try ledger.bytes(ledger.path()) == before)
    }

    @Test func anotherNameOfTheDatabaseIsTheDatabase() async throws {
        let ledger = try await Ledger.made()
        let (link, name) = (ledger.directory.path("link.csv"), ledger.directory.path("name.csv"))
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: ledger.path())
        try FileManager.default.linkItem(atPath: ledger.path(), toPath: name)
        for path in [link, name] {
            try await ledger.fails("import", "ledger.sqlite", "entry", path, with: "sameFile")
        }
    }

    private struct Leak: Error {
        let secret = Ledger.secrets[0]
    }

    private struct Leaking: Configuration {
        static let target = "ledger"

        let path: String

        func filePath(for database: DatabaseName) -> String? { path }
        func keyChain(for database: DatabaseName) throws -> KeyChain { throw Leak() }
    }

    @Test(arguments: [[], ["--json"]])
    func whatAConfigurationThrowsIsToldByItsTypeAlone(options: [String]) async throws {
        let ledger = try await Ledger.made()
        let run = try await ledger.run(
            ["tables", "ledger.sqlite"] + options, stores: try Stores(Leaking(path: ledger.path())))
        #expect(run.status == .failure && run.output.isEmpty)
        #expect(run.errors.contains("Leak") && !run.errors.contains(Ledger.secrets[0]))
    }
}
