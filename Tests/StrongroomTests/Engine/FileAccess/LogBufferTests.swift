import Foundation
import StrongroomTesting
import Testing

// Internal: the buffer lies between the engine and its file.
@testable import Strongroom

@Suite("The buffer of the WAL")
struct LogBufferTests {
    // MARK: The buffer alone

    /// Its result codes ("Result and Error Codes", sqlite.org/rescode.html).
    private enum Engine {
        static let ok: Int32 = 0
        static let full: Int32 = 13
    }

    /// A file in memory, and what is written to it.
    private final class File {
        var bytes: [UInt8] = []
        var writes = 0
        /// The result of a write; the bytes are not written when it is an error.
        var result = Engine.ok

        func write(_ added: UnsafeRawPointer, _ count: Int, at offset: Int64) -> Int32 {
            let start = Int(offset)
            writes += 1
            guard result == Engine.ok else { return result }
            if bytes.count < start + count { bytes += [UInt8](repeating: 0, count: start + count - bytes.count) }
            bytes.replaceSubrange(start..<start + count, with: UnsafeRawBufferPointer(start: added, count: count))
            return Engine.ok
        }
    }

    private static let header = 24
    private static let page = 512

    /// A frame's header, whose first bytes are the page's number.
    private static func header(_ number: UInt8, isLast: Bool) -> [UInt8] {
        var bytes = [UInt8](repeating: number, count: header)
        bytes.replaceSubrange(4..<8, with: isLast ? [0, 0, 0, 9] : [0, 0, 0, 0])
        return bytes
    }

    private static func write(_ bytes: [UInt8], at offset: Int, _ buffer: LogBuffer) -> Int32 {
        bytes.withUnsafeBytes { bytes in
            guard let first = bytes.baseAddress else { return Engine.ok }
            return buffer.write(first, bytes.count, at: Int64(offset))
        }
    }

    /// What the engine reads.
    private struct Read: Equatable {
        var result = Engine.ok
        var bytes: [UInt8] = []
    }

    /// Reads from the buffer, or else from the file.
    private static func read(_ count: Int, at offset: Int, _ buffer: LogBuffer, _ file: File) -> Read {
        var bytes = [UInt8](repeating: 0, count: count)
        let result = bytes.withUnsafeMutableBytes { bytes in
            bytes.baseAddress.flatMap { buffer.read($0, count, at: Int64(offset)) }
        }
        if let result { return Read(result: result, bytes: result == Engine.ok ? bytes : []) }
        return Read(bytes: offset + count <= file.bytes.count ? Array(file.bytes[offset..<offset + count]) : [])
    }

    private static func append(_ number: UInt8, isLast: Bool, at offset: Int, _ buffer: LogBuffer) -> Int32 {
        let result = write(header(number, isLast: isLast), at: offset, buffer)
        guard result == Engine.ok else { return result }
        return write([UInt8](repeating: number, count: page), at: offset + header, buffer)
    }

    private static func offset(_ frame: Int) -> Int { 32 + frame * (header + page) }

    @Test("After a failure nothing can be committed, until the write lock is given up")
    func failure() {
        let file = File()
        let buffer = LogBuffer(write: file.write)
        let half = Self.offset(50)
        for frame in 0..<50 { _ = Self.append(1, isLast: false, at: Self.offset(frame), buffer) }
        #expect(buffer.flush() == Engine.ok)
        for frame in 50..<60 { _ = Self.append(2, isLast: false, at: Self.offset(frame), buffer) }
        file.result = Engine.full
        // What it has can be read without writing it.
        #expect(Self.read(512, at: Self.offset(55) + 24, buffer, file).bytes == [UInt8](repeating: 2, count: 512))
        #expect(buffer.flush() == Engine.full)
        file.result = Engine.ok
        // The frames before are there, the others are not.
        #expect(Self.read(512, at: half - 512, buffer, file).bytes == [UInt8](repeating: 1, count: 512))
        #expect(Self.read(512, at: half, buffer, file) == Read(result: Engine.full))
        #expect(Self.append(3, isLast: true, at: Self.offset(60), buffer) == Engine.full)
        #expect(Self.append(3, isLast: true, at: Self.offset(0), buffer) == Engine.full)
        #expect(buffer.flush() == Engine.full)
        #expect(file.bytes.count == half)
        buffer.endWriting()
        buffer.beginWriting()
        #expect(Self.append(4, isLast: true, at: half, buffer) == Engine.ok)
        #expect(file.bytes.last == 4)
    }

    @Test("Without the write lock, and after a commit, everything is written at once")
    func unlocked() {
        let file = File()
        let buffer = LogBuffer(write: file.write)
        buffer.endWriting()
        #expect(Self.append(1, isLast: false, at: Self.offset(0), buffer) == Engine.ok)
        #expect(file.bytes.count == Self.offset(1))
        buffer.beginWriting()
        #expect(Self.append(2, isLast: true, at: Self.offset(1), buffer) == Engine.ok)
        // As the engine fills a sector, with a part as long as a header.
        #expect(Self.write([UInt8](repeating: 3, count: Self.header), at: Self.offset(2), buffer) == Engine.ok)
        #expect(file.bytes.last == 3)
    }

    /// Appends, changes, undone savepoints, reads and commits in any order.
    @Test("What is read, and what is committed, is what was written", arguments: 1...20 as ClosedRange<UInt64>)
    func anyOrder(_ seed: UInt64) throws {
        var random = SeededGenerator(seed)
        let (file, plain) = (File(), File())
        let buffer = LogBuffer(write: file.write)
        func both(_ bytes: [UInt8], at offset: Int) {
            #expect(Self.write(bytes, at: offset, buffer) == Engine.ok)
            _ = bytes.withUnsafeBytes { bytes in
                bytes.baseAddress.map { plain.write($0, bytes.count, at: Int64(offset)) }
            }
        }
        func expectSame(_ range: Range<Int>) throws {
            try #require(file.bytes.count >= range.upperBound)
            #expect(file.bytes[range] == plain.bytes[range])
        }
        var (committed, end) = (0, 0)
        for _ in 0..<2_000 {
            let number = UInt8.random(in: 1...255, using: &random)
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<80:
                let isLast = Int.random(in: 0..<30, using: &random) == 0
                both(Self.header(number, isLast: isLast), at: Self.offset(end))
                both([UInt8](repeating: number, count: Self.page), at: Self.offset(end) + Self.header)
                end += 1
                if isLast {
                    // Others read it from now on.
                    try expectSame(32..<Self.offset(end))
                    committed = end
                    buffer.endWriting()
                    buffer.beginWriting()
                }
            case 80..<87 where end > committed:
                let frame = Int.random(in: committed..<end, using: &random)
                both([UInt8](repeating: number, count: Self.page), at: Self.offset(frame) + Self.header)
            case 87..<90 where end > committed:
                end = Int.random(in: committed..<end, using: &random)
            case 90..<97 where end > 0:
                let frame = Int.random(in: 0..<end, using: &random)
                let place = Self.offset(frame) + Self.header
                let bytes = Array(plain.bytes[place..<place + Self.page])
                #expect(Self.read(Self.page, at: place, buffer, file) == Read(bytes: bytes))
            case 97:
                end = committed
                buffer.endWriting()
                buffer.beginWriting()
            default: break
            }
        }
        #expect(buffer.flush() == Engine.ok)
        if committed > 0 { try expectSame(32..<Self.offset(committed)) }
        #expect(file.writes < plain.writes / 2)
    }

    // MARK: With the engine

    private func connect(_ path: String) throws -> Connection {
        let connection = try Connection(path: path, mode: .create, database: "log.sqlite")
        // Wraps the file.
        try connection.refuseZeroPages()
        try connection.configure(as: .writer, busyTimeout: 0)
        return connection
    }

    /// Pages that do not fit into the cache are written before the commit, and written again when they are changed
    /// after that.
    @Test("A commit is in the WAL without a sync, also one whose frames were changed")
    func unsynchronized() throws {
        let directory = try TemporaryDirectory()
        let connection = try connect(directory.path("log.sqlite"))
        defer { connection.close() }
        try connection.run("CREATE TABLE line (id INTEGER PRIMARY KEY, text TEXT)")
        // Otherwise a sync would write the buffer.
        try connection.run("PRAGMA synchronous = OFF")
        try connection.run("PRAGMA cache_size = 4")
        try connection.run("PRAGMA wal_autocheckpoint = 0")
        try connection.inTransaction(.immediate) {
            for _ in 0..<400 { try connection.run("INSERT INTO line (text) VALUES (hex(randomblob(1000)))") }
            for id in stride(from: 1, to: 400, by: 7) {
                try connection.run("UPDATE line SET text = ?1 WHERE id = ?2", .text("\(id)"), .integer(Int64(id)))
            }
        }
        #expect(connection.hasLogBuffer)
        // As after a kill: the WAL is read from its beginning, and each checksum is checked.
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: directory.path("log.sqlite\(suffix)"), toPath: directory.path("killed.sqlite\(suffix)"))
        }
        let after = try Connection(path: directory.path("killed.sqlite"), mode: .existing, database: "log.sqlite")
        defer { after.close() }
        #expect(try after.ownValue("SELECT count(*) FROM line") == .integer(400))
        #expect(try after.ownValue("SELECT count(*) FROM line WHERE text = CAST(id AS TEXT)") == .integer(57))
        #expect(try after.ownValue("PRAGMA integrity_check") == .text("ok"))
    }

    @Test("A savepoint that is undone, a transaction that is undone, and one that reads what it has written")
    func undone() throws {
        let directory = try TemporaryDirectory()
        let connection = try connect(directory.path("log.sqlite"))
        defer { connection.close() }
        try connection.run("CREATE TABLE line (id INTEGER PRIMARY KEY, text TEXT)")
        try connection.run("PRAGMA cache_size = 4")
        func insert(_ count: Int) throws {
            for _ in 0..<count { try connection.run("INSERT INTO line (text) VALUES (hex(randomblob(1000)))") }
        }
        func length() throws -> SQLValue? { try connection.ownValue("SELECT sum(length(text)) FROM line") }
        try connection.inTransaction(.immediate) {
            try insert(100)
            try connection.run("SAVEPOINT part")
            try insert(100)
            #expect(try length() == .integer(400_000))
            try connection.run("ROLLBACK TO part")
            try insert(50)
            #expect(try length() == .integer(300_000))
        }
        try connection.begin(.immediate)
        try insert(100)
        #expect(try length() == .integer(500_000))
        connection.rollBack()
        #expect(try length() == .integer(300_000))
        try connection.inTransaction(.immediate) { try insert(1) }
        #expect(connection.hasLogBuffer)
        let reader = try Connection(path: directory.path("log.sqlite"), mode: .existing, database: "log.sqlite")
        defer { reader.close() }
        #expect(try reader.ownValue("SELECT sum(length(text)) FROM line") == .integer(302_000))
        #expect(try reader.ownValue("PRAGMA integrity_check") == .text("ok"))
    }
}
