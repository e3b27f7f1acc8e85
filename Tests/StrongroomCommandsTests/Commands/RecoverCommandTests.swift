import Foundation
import Strongroom
import StrongroomCommands
import StrongroomTesting
import Testing

struct RecoverCommandTests {
    struct Answer: Decodable {
        let damaged: Bool
        let damagedFrame: Int?
        let commitsKept: Int
        let commitsLost: Int
        let damagedLog: String?
    }

    /// A database as a killed program leaves it, with four transactions in its log.
    private func interrupted(damaged: Bool) async throws -> Ledger {
        let ledger = try Ledger()
        try await ledger.make()
        let store = try await Stores(ledger.configuration).open("ledger.sqlite")
        for number in 0..<4 {
            try await store.write { db in try db.execute("INSERT INTO entry (text) VALUES (\("later \(number)"))") }
        }
        let parts = try ["", "-wal"].map { ending in (ending, try ledger.bytes(ledger.path() + ending)) }
        try await store.close()
        for (ending, bytes) in parts {
            var bytes = bytes
            // In the first frame.
            if damaged, ending == "-wal" { bytes[100] ^= 1 }
            try bytes.write(to: URL(filePath: ledger.path() + ending))
        }
        return ledger
    }

    @Test func changesNothingUnlessItIsTold() async throws {
        let ledger = try await interrupted(damaged: true)
        let before = try ["", "-wal"].map { try ledger.bytes(ledger.path() + $0) }
        for command in ["verify", "status", "tables"] {
            let run = try await ledger.run(command, "ledger.sqlite", "--json")
            #expect(run.status == .dataError, "\(command)")
            #expect(run.errors.contains("damagedLog") || run.output.contains("damagedLog"))
        }
        let doctor = try await ledger.run("doctor", "ledger.sqlite")
        #expect(doctor.status == .dataError && doctor.output.contains("recover NAME --to-last-sound-commit"))
        let run = try await ledger.run("recover", "ledger.sqlite", "--json")
        #expect(run.status == .dataError)
        let answer = try run.json(Answer.self)
        #expect(answer.damaged && answer.damagedFrame == 1 && answer.commitsKept == 0 && answer.commitsLost == 4)
        #expect(answer.damagedLog == nil)
        let text = try await ledger.run("recover", "ledger.sqlite")
        #expect(text.output.contains("frame 1") && text.output.contains("--to-last-sound-commit"))
        #expect(try ["", "-wal"].map { try ledger.bytes(ledger.path() + $0) } == before)
    }

    @Test func givesUpWhatLiesBehindTheDamageAndKeepsTheLog() async throws {
        let ledger = try await interrupted(damaged: true)
        let log = try ledger.bytes(ledger.path() + "-wal")
        let run = try await ledger.run("recover", "ledger.sqlite", "--to-last-sound-commit")
        #expect(run.status == .success)
        #expect(run.output.contains(ledger.path() + "-wal.damaged"))
        #expect(try ledger.bytes(ledger.path() + "-wal.damaged") == log)
        #expect(try await ledger.rows() == 3)
        #expect(try await ledger.run("verify", "ledger.sqlite").status == .success)
    }

    @Test func aSoundLogStaysAsItIs() async throws {
        let ledger = try await interrupted(damaged: false)
        let run = try await ledger.run("recover", "ledger.sqlite", "--to-last-sound-commit", "--json")
        #expect(run.status == .success)
        #expect(try !run.json(Answer.self).damaged)
        #expect(try await ledger.rows() == 7)
    }
}
