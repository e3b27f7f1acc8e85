import Foundation
import StrongroomTesting
import Testing

@testable import Strongroom

@Suite("Records of commits")
struct CommitRecordsTests {
    private let directory: TemporaryDirectory
    private let path: String
    private let ring: RecordRing
    private let records: CommitRecords

    init() throws {
        directory = try TemporaryDirectory()
        let database = directory.path("a.sqlite")
        try Data().write(to: URL(filePath: database))
        path = directory.path(".a.sqlite.changes")
        ring = RecordRing(path, of: database)
        records = CommitRecords(ring) { try Self.key(1) }
    }

    private static func key(_ number: UInt8) throws -> CommitRecordKey {
        let salt = [UInt8](repeating: 3, count: CipherSettings.saltLength)
        return try CommitRecordKey(DerivedKey(.numbered(number), salt: salt, settings: CipherSettings.known()[0]))
    }

    private func position(_ number: UInt64) throws -> LogPosition {
        let words = [number, number, number, number]
        return try words.withUnsafeBytes { LogPosition(bytes: try #require($0.baseAddress)) }
    }

    private func record(_ tables: Set<String>, _ number: UInt64, to next: UInt64? = nil) throws {
        records.prepare(tables)
        records.record(tables, after: try position(number), to: try position(next ?? number + 1))
    }

    @Test func onlyAllRecordsBetweenTwoPositionsSayWhatWasWritten() throws {
        ring.hold()
        for (number, table) in ["a", "b", "c"].enumerated() { try record([table], UInt64(number)) }
        let all = try #require(records.tables(from: position(0), to: position(3)))
        #expect(["a", "b", "c"].allSatisfy(all.contains) && !all.contains("d"))
        let last = try #require(records.tables(from: position(2), to: position(3)))
        #expect(last.contains("c") && !last.contains("b"))
        // A later commit does not matter.
        #expect(try records.tables(from: position(0), to: position(1))?.contains("b") == false)
        #expect(try records.tables(from: position(3), to: position(3))?.isEmpty == true)
        // A gap.
        try record(["d"], 4)
        #expect(try records.tables(from: position(3), to: position(5)) == nil)
        #expect(try records.tables(from: position(4), to: position(5))?.contains("d") == true)
        // A commit that was not completed, and another one in its place.
        try record(["e"], 5, to: 50)
        try record(["f"], 5)
        #expect(try records.tables(from: position(5), to: position(6))?.contains("e") == false)
        #expect(try records.tables(from: position(5), to: position(7)) == nil)
        ring.release()
    }

    @Test func theLastOnesAreKept() throws {
        ring.hold()
        let count = UInt64(RecordRing.capacity)
        for number in 0...count { try record(["a"], number) }
        #expect(try records.tables(from: position(0), to: position(count + 1)) == nil)
        #expect(try records.tables(from: position(1), to: position(count + 1))?.contains("a") == true)
        ring.release()
    }

    @Test func aCommitOfManyTablesIsNotRecorded() throws {
        ring.hold()
        try record(Set((0..<21).map { "t\($0)" }), 0)
        #expect(try records.tables(from: position(0), to: position(1))?.contains("t20") == true)
        try record(Set((0..<22).map { "t\($0)" }), 1)
        #expect(try records.tables(from: position(1), to: position(2)) == nil)
        ring.release()
    }

    @Test func noDamagedRecordIsBelieved() throws {
        ring.hold()
        try record(["a"], 0)
        let whole = try Data(contentsOf: URL(filePath: path))
        let file = try PlainFile(path, isWritable: true)
        for place in 64..<whole.count {
            for byte in [whole[place] ^ 1, whole[place]] {
                try withUnsafeBytes(of: byte) { try file.write($0, at: Int64(place)) }
                let tables = try records.tables(from: position(0), to: position(1))
                #expect((tables != nil) == (byte == whole[place]), "\(place)")
            }
        }
        // One of another database.
        let other = CommitRecords(ring) { try Self.key(2) }
        #expect(try other.tables(from: position(0), to: position(1)) == nil)
        // The file's beginning, with a commit after each damage.
        var damages = (0..<64).flatMap { place in [1, 0x80, 0xFF].map { (place, [whole[place] ^ UInt8($0)]) } }
        damages += [(16, [UInt8](repeating: 0xFF, count: 8)), (22, [0xFF, 0x3F])]
        for (place, bytes) in damages {
            try whole.withUnsafeBytes { try file.write($0, at: 0) }
            try bytes.withUnsafeBytes { try file.write($0, at: Int64(place)) }
            try record(["b"], 1)
            #expect(try records.tables(from: position(0), to: position(1))?.contains("a") != false, "\(place)")
            #expect(try records.tables(from: position(1), to: position(2))?.contains("b") != false, "\(place)")
        }
        try whole.withUnsafeBytes { try file.write($0, at: 0) }
        try record(["b"], 1)
        #expect(try records.tables(from: position(0), to: position(2))?.contains("b") == true)
        try file.truncate(to: 100)
        #expect(try records.tables(from: position(0), to: position(1)) == nil)
        ring.release()
    }

    @Test func withoutAHolderThereIsNoFile() throws {
        try record(["a"], 0)
        #expect(!FileManager.default.fileExists(atPath: path))
        ring.hold()
        let second = RecordRing(path, of: directory.path("a.sqlite"))
        second.hold()
        try record(["a"], 0)
        ring.release()
        #expect(FileManager.default.fileExists(atPath: path))
        try record(["b"], 1)
        let other = CommitRecords(second) { try Self.key(1) }
        #expect(try other.tables(from: position(0), to: position(2))?.contains("b") == true)
        second.release()
        #expect(!FileManager.default.fileExists(atPath: path))
        try record(["a"], 0)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    // MARK: The file

    private func exists() -> Bool { FileManager.default.fileExists(atPath: path) }

    @Test func afterItsReleaseItIsNotMadeAgain() throws {
        ring.renew()
        #expect(!exists())
        ring.hold()
        ring.release()
        ring.renew()
        #expect(!exists())
        // Holding it fails at first.
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        ring.hold()
        try record(["a"], 0)
        try FileManager.default.removeItem(atPath: path)
        #expect(try records.tables(from: position(0), to: position(1)) == nil)
        #expect(exists())
        try record(["a"], 1)
        #expect(try records.tables(from: position(1), to: position(2))?.contains("a") == true)
        ring.release()
        #expect(!exists())
    }

    @Test func aRenewalDoesNotOutliveTheRelease() async throws {
        for _ in 0..<200 {
            ring.hold()
            try FileManager.default.removeItem(atPath: path)
            await withTaskGroup { group in
                group.addTask { [ring] in ring.renew() }
                group.addTask { [ring] in ring.release() }
            }
            #expect(!exists())
        }
    }

    /// A file that others may have made, or may write.
    @Test(arguments: [0o640, 0o604, 0o666, 0o4600])
    func aFileWithOtherPermissionsIsNotUsed(_ permissions: Int) throws {
        let second = RecordRing(path, of: directory.path("a.sqlite"))
        second.hold()
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
        ring.hold()
        try requireUnused()
        second.release()
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a file to another user"))
    func aFileOfAnotherUserIsNotUsed() throws {
        let second = RecordRing(path, of: directory.path("a.sqlite"))
        second.hold()
        #expect(chown(path, 4_321, gid_t.max) == 0)
        ring.hold()
        try requireUnused()
        // One of the owner of the database is.
        #expect(chown(directory.path("a.sqlite"), 4_321, gid_t.max) == 0)
        #expect(try records.tables(from: position(0), to: position(1)) == nil)
        try record(["a"], 0)
        #expect(try records.tables(from: position(0), to: position(1))?.contains("a") == true)
        ring.release()
        second.release()
        #expect(!exists())
    }

    /// Neither read, nor written, nor removed.
    private func requireUnused() throws {
        let before = try Data(contentsOf: URL(filePath: path))
        try record(["a"], 0)
        #expect(try records.tables(from: position(0), to: position(1)) == nil)
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        let third = directory.path("b")
        try FileManager.default.copyItem(atPath: path, toPath: third)
        let status = try #require(try FileStatus.ofName(path))
        #expect(chmod(third, mode_t(status.permissions)) == 0)
        if status.owner != geteuid() { #expect(chown(third, status.owner, gid_t.max) == 0) }
        RecordRing.removeIfUnused(third, of: directory.path("a.sqlite"))
        #expect(FileManager.default.fileExists(atPath: third))
    }

    @Test func onlyAFileOfThisKindIsRemoved() throws {
        let database = directory.path("a.sqlite")
        for (content, isRemoved) in [(Data(), true), (Data(repeating: 7, count: 30_000), false), (Data([7]), false)] {
            try content.write(to: URL(filePath: path))
            #expect(chmod(path, 0o600) == 0)
            RecordRing.removeIfUnused(path, of: database)
            #expect(exists() != isRemoved)
        }
    }

    @Test func manyHoldersComeAndGo() async throws {
        let database = directory.path("a.sqlite")
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask { [path] in
                    for _ in 0..<100 {
                        let ring = RecordRing(path, of: database)
                        ring.hold()
                        // The others may have been checking all the time whether it is held.
                        while !ring.isHeld { ring.renew() }
                        #expect(FileManager.default.fileExists(atPath: path))
                        ring.release()
                    }
                }
            }
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
