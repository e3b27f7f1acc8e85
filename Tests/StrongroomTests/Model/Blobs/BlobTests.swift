import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("Values in parts")
struct BlobTests {
    @Table("document")
    struct Document {
        var id: Int64?
        var name: String
        var content: Data
        var thumbnail: Data?
        var raw: [UInt8] = []
    }

    @Table("page")
    struct Page {
        @Column(primaryKey: true) var name: String
        @Column(primaryKey: true) var number: Int
        var scan: [UInt8]?
    }

    static func store() async throws -> TemporaryStore {
        try await TemporaryStore(tables: [Document.schema, Page.schema])
    }

    /// Bytes that differ from their neighbours.
    static func bytes(_ count: Int, seed: Int = 7) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: ($0 &* 31 &+ $0 >> 8) &+ seed) }
    }

    @Test(arguments: [0, 1, 1_000, 100_000])
    func `what is written in parts is read in parts and as a record`(size: Int) async throws {
        let temporary = try await Self.store()
        let all = Self.bytes(size)
        try await temporary.store.write { db in
            let key = try Document.insert(Document(name: "a", content: Data([1, 2, 3])), in: db)
            try Document.writeBlob(\.content, of: key, size: size, in: db) { blob in
                #expect(blob.count == size)
                for start in stride(from: 0, to: size, by: 4_099) {
                    try blob.append(all[start..<min(start + 4_099, size)])
                }
            }
            #expect(try Document.find(key, in: db)?.content == Data(all))
            let read = try Document.withBlob(\.content, of: key, in: db) { blob in
                var read: [UInt8] = []
                try blob.forEachPart(of: 777) { read.append(contentsOf: $0) }
                return read
            }
            #expect(read == all)
        }
    }

    @Test func `a nullable column and a composite key`() async throws {
        try await Self.store().store.write { db in
            let key = try Page.insert(Page(name: "atlas", number: 3, scan: nil), in: db)
            try Page.writeBlob(\.scan, of: key, size: 6, in: db) { blob in
                try blob.append(Data([1, 2, 3]))
                try blob.append([4, 5, 6] as [UInt8])
                #expect(try blob.read(2, at: 2) == [3, 4])
                #expect(blob.position == 6)
            }
            #expect(try Page.find(key, in: db)?.scan == [1, 2, 3, 4, 5, 6])
        }
    }

    @Test func `parts of a value are overwritten, anywhere`() async throws {
        try await Self.store().store.write { db in
            let key = try Document.insert(Document(name: "a", content: Data(Self.bytes(9_000))), in: db)
            try Document.writeBlob(\.content, of: key, in: db) { blob in
                try blob.write([0xAA, 0xBB], at: 8_998)
                try blob.write(Data([0xCC]), at: 0)
            }
            var expected = Self.bytes(9_000)
            (expected[8_998], expected[8_999], expected[0]) = (0xAA, 0xBB, 0xCC)
            #expect(try Document.find(key, in: db)?.content == Data(expected))
            let middle = try Document.withBlob(\.content, of: key, in: db) { try $0.read(10, at: 4_000) }
            #expect(middle == Array(expected[4_000..<4_010]))
        }
    }

    @Test func `bytes outside of the value are an error`() async throws {
        let temporary = try await Self.store()
        let key = try await temporary.store.write { db in
            try Document.insert(Document(name: "a", content: Data([1, 2])), in: db)
        }
        try await temporary.store.write { db throws in
            for (length, offset) in [(3, 0), (1, 2), (-1, 0), (1, -1), (Int.max, 1), (0, 3)] {
                try expectFailure(.invalidArgument) {
                    try Document.withBlob(\.content, of: key, in: db) { try $0.read(length, at: offset) }
                }
            }
            #expect(try Document.withBlob(\.content, of: key, in: db) { try $0.read(0, at: 2) } == [])
            try expectFailure(.invalidArgument) {
                try Document.writeBlob(\.content, of: key, in: db) { try $0.write([1, 2, 3], at: 0) }
            }
            try expectFailure(.invalidArgument) {
                try Document.withBlob(\.content, of: key, in: db) { try $0.forEachPart(of: 0) { _ in } }
            }
        }
    }

    /// The write is undone by itself: the rest of the transaction is committed.
    @Test(arguments: [20, 200_000])
    func `a write that fails halfway keeps the former value`(size: Int) async throws {
        struct Halt: Error {}
        let temporary = try await Self.store()
        let key = try await temporary.store.write { db in
            try Document.insert(Document(name: "a", content: Data(Self.bytes(size))), in: db)
        }
        try await temporary.store.write { db in
            try Document.update(key, in: db) { [$0.name.set("b")] }
            #expect(throws: Halt.self) {
                try Document.writeBlob(\.content, of: key, size: size, in: db) { blob in
                    try blob.append([UInt8](repeating: 9, count: size / 2))
                    throw Halt()
                }
            }
            #expect(throws: Halt.self) {
                try Document.writeBlob(\.content, of: key, in: db) { blob in
                    try blob.write([9, 9, 9], at: size / 2)
                    throw Halt()
                }
            }
            let short = #expect(throws: StrongroomError.self) {
                try Document.writeBlob(\.content, of: key, size: size, in: db) { try $0.append([1]) }
            }
            #expect(short?.code == .invalidArgument)
            #expect(short?.message.contains("1 of the \(size) bytes") == true)
        }
        let found = try await temporary.store.table(Document.self).find(key)
        #expect(found?.content == Data(Self.bytes(size)))
        #expect(found?.name == "b")
    }

    @Test func `a size that the engine does not store is refused before anything is written`() async throws {
        let temporary = try await Self.store()
        let key = try await temporary.store.write { db in
            try Document.insert(Document(name: "a", content: Data([1])), in: db)
        }
        for size in [-1, 1_000_000_001, Int.max] {
            try await expectFailure(.limit) {
                try await temporary.store.write { db in
                    try Document.writeBlob(\.content, of: key, size: size, in: db) { _ in Issue.record("lent") }
                }
            }
        }
        #expect(try await temporary.store.table(Document.self).find(key)?.content == Data([1]))
    }

    @Test func `a change of the row expires an open value`() async throws {
        let temporary = try await Self.store()
        let content = Data(Self.bytes(50_000))
        let key = try await temporary.store.write { [content] db in
            try Document.insert(Document(name: "a", content: content), in: db)
        }
        try await temporary.store.write { db in
            try expectFailure(.blobChanged) {
                try Document.withBlob(\.content, of: key, in: db) { blob in
                    _ = try blob.read(10, at: 0)
                    try Document.update(key, in: db) { [$0.name.set("b")] }
                    _ = try blob.read(10, at: 0)
                }
            }
            try expectFailure(.blobChanged) {
                try Document.writeBlob(\.content, of: key, in: db) { blob in
                    try Document.delete(key, in: db)
                    try blob.write([1], at: 0)
                }
            }
        }
        // The change was undone with the value's.
        #expect(try await temporary.store.table(Document.self).find(key)?.name == "b")
    }

    @Test func `observers see a value that is written in parts`() async throws {
        let store = try await Self.store().store
        let key = try await store.write { db in
            try Document.insert(Document(name: "a", content: Data([1, 2, 3])), in: db)
        }
        var values = store.values { db in
            try Document.withBlob(\.content, of: key, in: db) { try $0.read($0.count, at: 0) }
        }.makeAsyncIterator()
        #expect(try await values.next() == [1, 2, 3])
        try await store.write { db in try Document.writeBlob(\.content, of: key, in: db) { try $0.write([7], at: 1) } }
        #expect(try await values.next() == [1, 7, 3])
    }
}

@Suite("Values that have no parts")
struct BlobRefusalTests {
    @Table("document")
    struct Document {
        var id: Int64?
        var content: Data?
        @Column(indexed: true) var digest: Data?
        @Column(unique: true) var code: [UInt8]?
    }

    @Table("label")
    struct Label {
        @Column(primaryKey: true) var name: String
        var image: Data?
    }

    @Test func `rows that are not there, and NULL`() async throws {
        try await TemporaryStore(tables: [Document.schema]).store.write { db in
            let key = try Document.insert(Document(), in: db)
            try expectFailure(.noSuchRow) { try Document.withBlob(\.content, of: 99, in: db) { _ in } }
            try expectFailure(.noSuchRow) { try Document.writeBlob(\.content, of: 99, size: 1, in: db) { _ in } }
            try expectFailure(.typeMismatch) { try Document.withBlob(\.content, of: key, in: db) { _ in } }
            try expectFailure(.typeMismatch) { try Document.writeBlob(\.content, of: key, in: db) { _ in } }
            try db.execute("UPDATE document SET content = 12 WHERE id = \(key)")
            try expectFailure(.typeMismatch) { try Document.withBlob(\.content, of: key, in: db) { _ in } }
        }
    }

    @Test func `columns that the engine would not check are read, not written`() async throws {
        try await TemporaryStore(tables: [Document.schema]).store.write { db in
            let key = try Document.insert(Document(digest: Data([1, 2]), code: [3]), in: db)
            #expect(try Document.withBlob(\.digest, of: key, in: db) { try $0.read(2, at: 0) } == [1, 2])
            #expect(try Document.withBlob(\.code, of: key, in: db) { $0.count } == 1)
            try expectFailure(.blobAccess) { try Document.writeBlob(\.digest, of: key, in: db) { _ in } }
            try expectFailure(.blobAccess) { try Document.writeBlob(\.code, of: key, size: 2, in: db) { _ in } }
            // An index that only the file has.
            try db.execute("CREATE INDEX extra ON document (content)")
            try Document.update(key, in: db) { [$0.content.set(Data([5]))] }
            try expectFailure(.blobAccess) { try Document.writeBlob(\.content, of: key, in: db) { _ in } }
            try expectFailure(.blobAccess) {
                try Document.writeBlob(\.content, of: key, size: 1, in: db) { try $0.append([9]) }
            }
            #expect(try Document.find(key, in: db)?.content == Data([5]))
        }
    }

    @Test(
        arguments: [
            "CREATE TABLE label (name TEXT PRIMARY KEY NOT NULL, image BLOB) WITHOUT ROWID",
            "CREATE VIEW label AS SELECT 'a' AS name, x'0102' AS image",
        ] as [SQL])
    func `tables without row ids`(creation: SQL) async throws {
        try await TemporaryStore().store.write { db in
            try db.execute(creation)
            if try db.hasTable("label") { try db.execute("INSERT INTO label VALUES ('a', x'0102')") }
            try expectFailure(.blobAccess) { try Label.withBlob(\.image, of: "a", in: db) { _ in } }
        }
    }
}
