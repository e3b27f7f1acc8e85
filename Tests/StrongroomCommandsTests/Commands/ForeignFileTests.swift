import Foundation
import Strongroom
import StrongroomCommands
import StrongroomTesting
import Testing

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
        let own = try ledger.keyFile("an older one", Ledger.secrets[0], mode: 0o644)
        let random = ledger.directory.path("random")
        #expect(try await ledger.run("keys", "make", random).status == .success)
        for path in [own, random] {
            let before = try ledger.bytes(path)
            for arguments in [
                ["export", "ledger.sqlite", "entry", "-o", path, "--force"],
                ["backup", "ledger.sqlite", path, "--force"], ["import", "ledger.sqlite", "entry", path],
            ] {
                let run = try await ledger.run(arguments + ["--json"])
                #expect(try run.failure().code == "keyFile", "\(arguments)")
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
            let run = try await ledger.run("export", "ledger.sqlite", "entry", "-o", path, "--force", "--json")
            #expect(run.status == .cannotCreate, "\(path)")
            #expect(try run.failure().code == "notText", "\(path)")
            #expect(try ledger.bytes(path) == before)
        }
    }

    @Test func aBackupReplacesADatabaseAlone() async throws {
        let copy = try await copy()
        let again = try await ledger.run("backup", "ledger.sqlite", copy, "--force")
        #expect(again.status == .success, "\(again.errors)")
        for content in ["a,b\n1,2\n", String(repeating: "x", count: 4_096)] {
            let path = try file("notes", content)
            let run = try await ledger.run("backup", "ledger.sqlite", path, "--force", "--json")
            #expect(try run.failure().code == "notADatabase")
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
            let run = try await ledger.run(arguments + ["--json"])
            #expect(run.status == .cannotCreate, "\(arguments)")
            #expect(try run.failure().code == "exists", "\(arguments)")
        }
    }

    /// The backup opens with other keys, so nothing but a second time shows whether the new one was meant.
    @Test func theKeyThatARestoredFileGetsIsTypedTwice() async throws {
        let copy = try await copy()
        let keys = try ledger.keyFile(Ledger.secrets[0])
        let target = ledger.directory.path("new.sqlite")
        func restore(_ answers: [String]) async throws -> (status: StrongroomCommands.ExitStatus, errors: String) {
            let typed = Locked(answers)
            let errors = TextCapture()
            let session = CommandSession(
                console: Console(
                    output: ConsoleStream(capture: TextCapture()), errors: ConsoleStream(capture: errors)),
                stores: try Stores(ledger.configuration),
                input: KeyInput(
                    all: { _ in [] },
                    line: { _ in typed.withLock { $0.isEmpty ? nil : Array($0.removeFirst().utf8) } }))
            let arguments = ["restore", copy, target, "--backup-key-file", keys, "--json"]
            return (await StrongroomTool.status(of: arguments, in: session), errors.text)
        }
        let wrong = try await restore([Ledger.secrets[1], Ledger.secrets[2]])
        #expect(wrong.status == .configuration && wrong.errors.contains("keysDiffer"))
        #expect(!FileManager.default.fileExists(atPath: target))
        #expect(try await restore([Ledger.secrets[1], Ledger.secrets[1]]).status == .success)
        #expect(try await ledger.run("tables", target, typed: Ledger.secrets[1]).status == .success)
    }
}
