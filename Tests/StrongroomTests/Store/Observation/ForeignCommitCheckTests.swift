import Foundation
import Logging
import StrongroomTesting
import Synchronization
import Testing

@testable import Strongroom

@Suite("How commits of other connections are found", .ending)
struct ForeignCommitCheckTests {
    private struct Fixture {
        let directory: TemporaryDirectory
        let path: String
        let writer: Connection
        let other: Connection

        init() throws {
            directory = try TemporaryDirectory()
            path = directory.path("a.sqlite")
            writer = try Self.connect(path)
            try writer.run("CREATE TABLE t (x)")
            other = try Self.connect(path)
            try writer.recordDataVersion()
        }

        static func connect(_ path: String) throws -> Connection {
            let connection = try Connection(path: path, mode: .create, database: "a")
            try Array("correct horse".utf8).withUnsafeBytes { try connection.setKey($0) }
            try connection.configure(as: .writer, busyTimeout: 10_000)
            return connection
        }

        /// Appends a frame to the WAL that a commit has written, and not made valid yet.
        func appendFrame(isCommit: Bool) throws {
            let log = try PlainFile("\(path)-wal", isWritable: true)
            var header = [UInt8](repeating: 0, count: 32)
            _ = try header.withUnsafeMutableBytes { try log.read(at: 0, into: $0) }
            let valid = try #require(try writer.inSnapshot { try writer.publishedLog() }).frames
            let pageSize = header[8..<12].reduce(0) { $0 << 8 | Int($1) }
            var frame = [UInt8](repeating: 0, count: 24 + pageSize)
            frame[3] = 1
            if isCommit { frame[7] = 2 }
            frame.replaceSubrange(8..<16, with: header[16..<24])
            try frame.withUnsafeBytes { try log.write($0, at: Int64(32 + valid * frame.count)) }
        }
    }

    private typealias Found = Connection.ForeignFinding

    /// Without this, a commit that becomes valid after the last report of the file system would be missed.
    @Test func aCommitThatIsNotValidYetMayFollow() throws {
        let fixture = try Fixture()
        try fixture.appendFrame(isCommit: false)
        #expect(try fixture.writer.findForeignCommits() == Found(isFound: false, mayFollow: false))
        try fixture.appendFrame(isCommit: true)
        #expect(try fixture.writer.findForeignCommits() == Found(isFound: false, mayFollow: true))
        // The process that has written it has been killed.
        #expect(try fixture.writer.findForeignCommitsLockingOut() == Found(isFound: false, mayFollow: false))
        try fixture.other.inTransaction(.immediate) {
            try fixture.other.run("INSERT INTO t VALUES (1)")
            #expect(try fixture.writer.findForeignCommitsLockingOut() == Found(isFound: false, mayFollow: true))
        }
        #expect(try fixture.writer.findForeignCommits() == Found(isFound: true, mayFollow: false))
    }

    /// The first commit of a new WAL has salts that are nowhere but in its own header until it is valid.
    @Test func theFirstCommitOfANewLogMayFollowToo() throws {
        let fixture = try Fixture()
        fixture.writer.close()
        fixture.other.close()
        let writer = try Fixture.connect(fixture.path)
        let other = try Fixture.connect(fixture.path)
        try writer.recordDataVersion()
        #expect(try writer.findForeignCommits() == Found(isFound: false, mayFollow: false))
        var log = [UInt8](repeating: 0, count: 32 + 24 + 4_096)
        log.replaceSubrange(16..<24, with: [9, 8, 7, 6, 5, 4, 3, 2])
        log.replaceSubrange(40..<48, with: [9, 8, 7, 6, 5, 4, 3, 2])
        log[39] = 1
        try log.withUnsafeBytes { try PlainFile("\(fixture.path)-wal", isWritable: true).write($0, at: 0) }
        #expect(try writer.findForeignCommits() == Found(isFound: false, mayFollow: true))
        try other.inTransaction(.immediate) { try other.run("INSERT INTO t VALUES (1)") }
        #expect(try writer.findForeignCommits() == Found(isFound: true, mayFollow: false))
        // What a restarted WAL held before is not taken for a commit.
        #expect(try other.checkpoint().isComplete)
        #expect(try writer.findForeignCommits().mayFollow == false)
    }

    @Test func aLockThatKeepsFromReadingIsNotWaitedFor() throws {
        let directory = try TemporaryDirectory()
        func connect() throws -> Connection {
            let connection = try Connection(path: directory.path("a.sqlite"), mode: .create, database: "a")
            try Array("correct horse".utf8).withUnsafeBytes { try connection.setKey($0) }
            connection.setBusyTimeout(milliseconds: 1_000_000)
            return connection
        }
        let writer = try connect()
        try writer.run("CREATE TABLE t (x)")
        let reader = try connect()
        try reader.recordDataVersion()
        try writer.inTransaction(.exclusive) {
            try writer.run("INSERT INTO t VALUES (1)")
            #expect(try reader.findForeignCommits() == Found(isFound: false, mayFollow: true))
        }
        #expect(try reader.findForeignCommits() == Found(isFound: true, mayFollow: false))
    }

    // MARK: Without a watch

    @Test func withoutAWatchTheFileIsPolledAndLoggedOnce() async throws {
        let log = CollectedLog()
        let broadcaster = ChangeBroadcaster()
        let statistics = Locked(StoreStatistics())
        let checks = Tally()
        let foreign = ForeignCommits(
            "/nowhere/at/all.sqlite", .automatic, log.logger(.notice), broadcaster, statistics)
        foreign.begin {
            checks.add()
            return true
        }
        #expect(!foreign.isOn && checks.value == 0)
        for _ in 0..<3 {
            let observer = ChangeObserver(broadcaster, tables: nil)
            #expect(foreign.isOn && statistics.withLock { $0.isPolling })
            let before = checks.value
            try await eventually { checks.value > before + 2 }
            withExtendedLifetime(observer) {}
        }
        #expect(!foreign.isOn && !statistics.withLock { $0.isPolling })
        #expect(log.entries.count == 1)
    }

    @Test func remoteFileSystemsAreKnownByTheTableOfMounts() {
        let mounts = """
            36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue
            37 35 0:45 / /srv rw shared:7 - nfs4 host:/ rw
            38 35 0:46 / /home/a rw - fuse.sshfs host: rw
            39 35 259:70000 / /data rw - virtiofs data rw
            """
        #expect(!RemoteFileSystems.contain(device: 98 << 8, in: mounts))
        #expect(RemoteFileSystems.contain(device: 45, in: mounts))
        #expect(RemoteFileSystems.contain(device: 46, in: mounts))
        #expect(!RemoteFileSystems.contain(device: 47, in: mounts))
        // What makedev(3) makes of 259 and 70000.
        #expect(RemoteFileSystems.contain(device: 0x1111_0370, in: mounts))
        #expect(!RemoteFileSystems.contain(device: 45, in: ""))
        #expect(!RemoteFileSystems.contain("/nowhere/at/all"))
    }
}
