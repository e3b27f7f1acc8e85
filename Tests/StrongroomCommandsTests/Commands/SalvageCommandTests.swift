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
        let again = try await ledger.run("salvage", "ledger.sqlite", "--to", target, "--json")
        #expect(again.status == .cannotCreate)
        #expect(try again.failure().code == "exists")
        #expect(try ledger.bytes(target) == made)
        let itself = try await ledger.run("salvage", "ledger.sqlite", "--to", ledger.path(), "--json")
        #expect(itself.status == .usage)
        #expect(try itself.failure().code == "sameFile")
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
        let run = try await ledger.run("salvage", "ledger.sqlite", "--to", target, "--json")
        #expect(run.status == .dataError)
        #expect(try run.failure().code == "damaged")
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
