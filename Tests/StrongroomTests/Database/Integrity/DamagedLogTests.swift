import Foundation
// Internal: what of a log counts.
@testable import Strongroom
import StrongroomTesting
import Testing

@Suite("A damaged write-ahead log", .ending)
struct DamagedLogTests {
    @Test func aReportCreatesNoFile() async throws {
        let specimen = try await LogSpecimen(transactions: [(1, 0.01), (1, 0.01)])
        let place = try specimen.place("report", log: specimen.flipped(at: 100, by: 1))
        let before = try DirectorySnapshot(place.directory, ignoring: [])
        let found = try await Stores(place).recoverLog("vault.sqlite", dryRun: true)
        #expect(found.damagedFrame == 1)
        try before.expectUntouched()
    }

    /// Only of the last transaction it cannot be told from what a power cut leaves.
    @Test func everyChangedByteBeforeTheLastTransactionIsFound() async throws {
        let specimen = try await LogSpecimen()
        let commits = specimen.commits
        try #require(commits.count == LogSpecimen.transactions.count && commits[1] - commits[0] > 1)
        let last = commits[commits.count - 2]
        var generator = SeededGenerator(4)
        var offsets = Array(0..<32)
        for frame in 1...specimen.frames {
            let start = specimen.start(of: frame)
            // Every byte of a header once in three frames.
            offsets += stride(from: start + frame % 3, to: start + 24, by: 3)
            offsets += (0..<3).map { _ in Int.random(in: start + 24..<start + specimen.frameLength, using: &generator) }
        }
        for offset in offsets {
            let frame = offset < 32 ? 0 : (offset - 32) / specimen.frameLength + 1
            let change = UInt8.random(in: 1...255, using: &generator)
            let scan = try specimen.scan(specimen.flipped(at: offset, by: change))
            let kept = frame == 0 ? 0 : specimen.commits(before: offset)
            #expect(scan.soundCommits == kept, "byte \(offset)")
            if frame <= last {
                let lost = commits.count - kept
                #expect(scan.damage?.frame == frame, "byte \(offset) by \(change), frame \(frame)")
                #expect(scan.damage.map { [lost, lost + 1].contains($0.commits) } == true, "byte \(offset)")
            } else {
                // Found or not: it is there.
                #expect(scan.damage == nil || scan.damage?.frame == frame, "byte \(offset)")
            }
        }
        #expect(try specimen.scan(specimen.log).damage == nil)
        #expect(try specimen.scan(specimen.log).soundCommits == commits.count)
        #expect(try specimen.scan(specimen.log).soundLength == Int64(specimen.log.count))
    }

    /// Its page would be before the beginning of the file.
    @Test func aFrameWithoutAPageBehindADamagedHeaderIsFound() async throws {
        let specimen = try await LogSpecimen(transactions: [(1, 0.01), (1, 0.01), (1, 0.01)])
        var log = specimen.flipped(at: 24)
        for index in 0..<4 { log[specimen.start(of: 1) + index] = 0 }
        let vault = try specimen.place("frame", log: log)
        let found = try await Stores(vault).recoverLog("vault.sqlite", dryRun: true)
        #expect(found.damagedFrame == 0 && found.commitsKept == 0 && found.commitsLost >= 2)
    }

    /// The number of pages, by which the engine sees where a transaction ends, is one byte in a small file.
    @Test func aTransactionWhoseEndIsNotMarkedAnyMoreIsFound() async throws {
        let specimen = try await LogSpecimen()
        for frame in specimen.commits.dropLast() {
            var log = specimen.log
            for index in 4..<8 { log[specimen.start(of: frame) + index] = 0 }
            let scan = try specimen.scan(log)
            #expect(scan.damage?.frame == frame)
            #expect(scan.damage?.commits == specimen.commits.count - scan.soundCommits)
        }
    }

    @Test func sectorsOfZerosAndOfNoiseAreFound() async throws {
        let specimen = try await LogSpecimen()
        let last = specimen.start(of: specimen.commits[specimen.commits.count - 3] + 1)
        var generator = SeededGenerator(8)
        for start in stride(from: 0, to: last - 512, by: 512) {
            var log = specimen.log
            let isNoise = Bool.random(using: &generator)
            for index in start..<start + 512 { log[index] = isNoise ? .random(in: 0...255, using: &generator) : 0 }
            #expect(try specimen.scan(log).damage != nil, "sector at \(start)")
        }
    }

    /// Whichever way the file is opened, before anything is written.
    @Test func isToldWhateverOpensTheFile() async throws {
        let specimen = try await LogSpecimen()
        let offsets = [3, 18, 26, specimen.start(of: 1) + 30, specimen.start(of: specimen.commits[2]) + 20]
        for offset in offsets {
            let place = try specimen.place("damaged", log: specimen.flipped(at: offset))
            let before = try DirectorySnapshot(place.directory)
            let readOnly = place.with(\.settings.isReadOnly, true)
            for vault in [place, readOnly, Vault(place.directory, keys: .numbered(9))] {
                let error = try await expectFailure(.damagedLog) { try await vault.open() }
                #expect(error.message.contains(vault.path + "-wal") && error.message.contains("recoverLog"))
                #expect(error.diagnosis?.finding == .damagedLog && error.database == "vault.sqlite")
            }
            let stores = try Stores(place)
            let diagnosis = try await stores.diagnose("vault.sqlite")
            #expect(diagnosis.finding == .damagedLog && diagnosis.reason?.contains("transaction") == true)
            try await expectFailure(.damagedLog) { try await stores.survey(DatabaseName("vault.sqlite")) }
            let target = specimen.directory.path("copied.sqlite")
            try await expectFailure(.damagedLog) { try await stores.salvage("vault.sqlite", to: target) }
            try await expectFailure(.damagedLog) {
                try await stores.restore("vault.sqlite", from: specimen.vault.path, keys: nil)
            }
            #expect(try await stores.recoverLog("vault.sqlite", dryRun: true).isDamaged)
            try before.expectUntouched()
        }
    }

    @Test func aPlaintextDatabaseHasAlsoALog() async throws {
        let directory = try TemporaryDirectory()
        let vault = Vault(directory.path("source")) { _ in .plaintext }
        let store = try await vault.open()
        for number in 0..<4 {
            try await store.write { db in try db.execute("INSERT INTO line VALUES (\("line \(number)"))") }
        }
        let (file, log) = try LogSpecimen.read(vault)
        try await store.close()
        let copy = Vault(directory.path("copy")) { _ in .plaintext }
        try FileManager.default.createDirectory(atPath: copy.directory, withIntermediateDirectories: true)
        try file.write(to: URL(filePath: copy.path))
        var damaged = log
        damaged[100] ^= 1
        try damaged.write(to: URL(filePath: copy.path + "-wal"))
        try await expectFailure(.damagedLog) { try await copy.open() }
        #expect(try await Stores(copy).diagnose("vault.sqlite").finding == .damagedLog)
    }

    @Test func isRecoveredToItsLastSoundCommitAndKept() async throws {
        let specimen = try await LogSpecimen()
        let offsets =
            [5] + specimen.commits.dropLast().map { specimen.start(of: $0) + 40 }
            + specimen.commits.dropLast(2).map { specimen.start(of: $0 + 1) + 17 }
        for offset in offsets {
            let log = specimen.flipped(at: offset)
            let place = try specimen.place("recovered", log: log)
            let kept = offset < 32 ? 0 : specimen.commits(before: offset)
            let recovery = try await Stores(place).recoverLog("vault.sqlite")
            #expect(recovery.isDamaged && recovery.commitsKept == kept)
            #expect(recovery.commitsLost == specimen.commits.count - kept)
            #expect(recovery.damagedLog == place.path + "-wal.damaged")
            #expect(try Data(contentsOf: URL(filePath: place.path + "-wal.damaged")) == log)
            #expect(try await place.lines() == specimen.lines[kept], "byte \(offset)")
            try await place.keep("after")
            #expect(try await place.lines() == specimen.lines[kept] + ["after"])
            #expect(try await !Stores(place).recoverLog("vault.sqlite").isDamaged)
        }
    }

    @Test func aSecondDamagedLogIsKeptInAdditionToTheFirst() async throws {
        let specimen = try await LogSpecimen()
        let place = try specimen.place("twice", log: specimen.flipped(at: 50))
        #expect(try await Stores(place).recoverLog("vault.sqlite").damagedLog == place.path + "-wal.damaged")
        try specimen.flipped(at: 60).write(to: URL(filePath: place.path + "-wal"))
        #expect(try await Stores(place).recoverLog("vault.sqlite").damagedLog == place.path + "-wal.damaged-2")
        #expect(try Data(contentsOf: URL(filePath: place.path + "-wal.damaged")) == specimen.flipped(at: 50))
    }

    @Test func aSoundLogIsLeftAsItIs() async throws {
        let specimen = try await LogSpecimen()
        let place = try specimen.place("sound", log: specimen.log)
        let before = try DirectorySnapshot(place.directory)
        let recovery = try await Stores(place).recoverLog("vault.sqlite")
        #expect(!recovery.isDamaged && recovery.damagedLog == nil && recovery.commitsLost == 0)
        try before.expectUntouched()
        #expect(try await place.lines() == specimen.lines.last)
        try await expectFailure(.fileMissing) { try await Stores(place).recoverLog("vault_none.sqlite") }
        try await place.using { _ in
            try await expectFailure(.alreadyOpen) { try await Stores(place).recoverLog("vault.sqlite") }
        }
    }

    /// What is open goes on: it knows what of the log counts.
    @Test func aStoreThatIsOpenReadsAndWritesOn() async throws {
        let specimen = try await LogSpecimen()
        let place = try specimen.place("open", log: specimen.log)
        try await place.using { store in
            try await store.write { db in try db.execute("INSERT INTO line VALUES ('more')") }
            let handle = try FileHandle(forUpdating: URL(filePath: place.path + "-wal"))
            // The salts of a frame, which nobody reads any more.
            try handle.seek(toOffset: UInt64(specimen.start(of: 1) + 8))
            try handle.write(contentsOf: Data([0xFF, 0xFE]))
            try handle.close()
            async let first = store.read { db in try db.value("SELECT count(*) FROM line", as: Int.self) }
            async let second = store.read { db in try db.value("SELECT count(*) FROM line", as: Int.self) }
            let expected = (specimen.lines.last?.count ?? 0) + 1
            #expect(try await [first, second] == [expected, expected])
        }
        // Closing has brought it into the file.
        #expect(try await place.lines() == (specimen.lines.last ?? []) + ["more"])
    }
}
