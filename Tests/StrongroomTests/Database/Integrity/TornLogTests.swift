import Foundation
// Internal: what of a log counts.
@testable import Strongroom
import StrongroomTesting
import Testing

/// What crashes and power cuts leave of a write-ahead log is no damage.
@Suite("A torn write-ahead log", .ending)
struct TornLogTests {
    @Test func aLogThatWasCutOffAnywhereOpens() async throws {
        let specimen = try await LogSpecimen()
        var lengths = [0, 1, 31, 32, 33]
        for frame in 1...specimen.frames {
            let start = specimen.start(of: frame)
            lengths += [start + 8, start + 24, start + 500, start + specimen.frameLength]
        }
        for length in lengths {
            let scan = try specimen.scan(specimen.log.prefix(length))
            #expect(scan.damage == nil, "\(length) bytes")
            #expect(scan.soundCommits == specimen.commits(before: length))
        }
        for length in [0, 20, 32] + specimen.commits.map({ specimen.start(of: $0) + specimen.frameLength / 2 }) {
            let place = try specimen.place("cut", log: specimen.log.prefix(length))
            #expect(try await place.lines() == specimen.lines[specimen.commits(before: length)])
        }
    }

    /// Of the transaction that was not acknowledged any sectors may be on the disk, its end included.
    @Test func aLastTransactionOfWhichAnythingIsThereOpens() async throws {
        // The last one has many pages.
        let specimen = try await LogSpecimen(transactions: [(1, 0.01), (2, 0.6), (8, 1.5)])
        let start = specimen.start(of: specimen.commits[1] + 1)
        #expect(specimen.log.count - start > 4 * specimen.frameLength)
        var generator = SeededGenerator(6)
        for number in 0..<200 {
            var log = specimen.log
            let (part, isNoise) = (number.isMultiple(of: 2) ? 512 : specimen.frameLength, number.isMultiple(of: 3))
            for index in stride(from: start, to: log.count, by: part) where Bool.random(using: &generator) {
                for byte in index..<min(index + part, log.count) {
                    log[byte] = isNoise ? .random(in: 0...255, using: &generator) : 0
                }
            }
            let scan = try specimen.scan(log)
            #expect(scan.damage == nil, "case \(number)")
            #expect(scan.soundCommits >= 2)
            guard number < 8 else { continue }
            let lines = try await specimen.place("torn", log: log).lines()
            #expect(lines == specimen.lines[scan.soundCommits])
        }
    }

    /// After a power cut the next transaction is written over what is left of the one that was not acknowledged; its
    /// end may stay behind.
    @Test func whatAnEarlierTransactionHasLeftBehindIsNoDamage() async throws {
        let specimen = try await LogSpecimen(transactions: [(1, 0.01), (2, 0.6), (8, 1.5)])
        var torn = specimen.log
        let lost = specimen.start(of: specimen.commits[1] + 1)
        torn.replaceSubrange(lost..<lost + 512, with: Data(count: 512))
        let place = try specimen.place("first", log: torn)
        let (file, log) = try await place.using { store in
            try await store.write { db in try db.execute("INSERT INTO line VALUES ('short')") }
            return try LogSpecimen.read(place)
        }
        let scan = try specimen.scan(log, file: file)
        #expect(scan.damage == nil)
        #expect(scan.soundLength < log.count - 2 * specimen.frameLength && scan.soundCommits == 3)
        #expect(log.suffix(specimen.frameLength) == specimen.log.suffix(specimen.frameLength), "nothing is left behind")
        let copy = try specimen.place("second", log: log, file: file)
        #expect(try await copy.lines() == specimen.lines[2] + ["short"])
        // And what is damaged before it is damaged all the same.
        #expect(try specimen.scan(specimen.flipped(at: 40, of: log), file: file).damage?.frame == 1)
    }

    @Test func whatAnEarlierLogHasLeftBehindIsNoDamage() async throws {
        let specimen = try await LogSpecimen()
        let place = try specimen.place("first", log: specimen.log)
        let states = try await place.using { store in
            let before = try LogSpecimen.read(place)
            // Without making the log shorter, which ``Store/checkpoint()`` does.
            try await store.write { db in try db.execute("INSERT INTO line VALUES ('a')") }
            let full = try LogSpecimen.read(place)
            return [before, full]
        }
        for (file, log) in states { #expect(try specimen.scan(log, file: file).damage == nil) }
        // A new log over the old one: the engine does so when everything is in the file and nobody reads.
        let restarted = try specimen.restarted()
        #expect(restarted.log.count == specimen.log.count)
        #expect(try specimen.scan(restarted.log, file: restarted.file).soundCommits == 1)
        #expect(try specimen.scan(restarted.log, file: restarted.file).damage == nil)
        // Half of its header was written.
        var half = specimen.log
        half.replaceSubrange(0..<16, with: restarted.log.prefix(16))
        #expect(try specimen.scan(half, file: restarted.checkpointed).damage == nil)
        #expect(try specimen.scan(half).damage?.commits == specimen.commits.count)
        let copy = try specimen.place("half", log: half, file: restarted.checkpointed)
        #expect(try await copy.lines() == specimen.lines.last)
    }

    /// The kill tests cut the power at random; this one keeps every write of the last transaction in turn from the
    /// disk.
    @Test func aLogWithoutAnyCommitOpens() async throws {
        let specimen = try await LogSpecimen(transactions: [(8, 1.5)])
        var generator = SeededGenerator(9)
        for _ in 0..<50 {
            var log = specimen.log
            for frame in 1...specimen.frames where Bool.random(using: &generator) {
                let start = specimen.start(of: frame)
                log.replaceSubrange(start..<start + 24, with: Data(count: 24))
            }
            #expect(try specimen.scan(log).damage == nil)
        }
    }
}

extension LogSpecimen {
    /// The file when the whole log is in it, and file and log when the log has been begun anew.
    func restarted() throws -> (checkpointed: Data, file: Data, log: Data) {
        let place = try place("restarted", log: log)
        let connection = try place.connection()
        defer { connection.close() }
        try connection.proveKey()
        try connection.run("PRAGMA wal_checkpoint(RESTART)")
        let checkpointed = try Data(contentsOf: URL(filePath: place.path))
        try connection.run("INSERT INTO line VALUES ('anew')")
        let (file, log) = try Self.read(place)
        return (checkpointed, file, log)
    }
}
