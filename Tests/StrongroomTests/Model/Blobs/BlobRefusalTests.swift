import Foundation
import Strongroom
import StrongroomTesting
import Testing

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

    private func code(
        _ db: borrowing WriteTransaction, _ work: (borrowing WriteTransaction) throws -> Void
    ) -> StrongroomError.Code? {
        do {
            try work(db)
            return nil
        } catch {
            return (error as? StrongroomError)?.code
        }
    }

    @Test func `rows that are not there, and NULL`() async throws {
        try await TemporaryStore(tables: [Document.schema]).store.write { db in
            let key = try Document.insert(Document(), in: db)
            #expect(code(db) { try Document.withBlob(\.content, of: 99, in: $0) { _ in } } == .noSuchRow)
            #expect(code(db) { try Document.writeBlob(\.content, of: 99, size: 1, in: $0) { _ in } } == .noSuchRow)
            #expect(code(db) { try Document.withBlob(\.content, of: key, in: $0) { _ in } } == .typeMismatch)
            #expect(code(db) { try Document.changeBlob(\.content, of: key, in: $0) { _ in } } == .typeMismatch)
            try db.execute("UPDATE document SET content = 12 WHERE id = \(key)")
            #expect(code(db) { try Document.withBlob(\.content, of: key, in: $0) { _ in } } == .typeMismatch)
        }
    }

    @Test func `columns that the engine would not check are read, not written`() async throws {
        try await TemporaryStore(tables: [Document.schema]).store.write { db in
            let key = try Document.insert(Document(digest: Data([1, 2]), code: [3]), in: db)
            #expect(try Document.withBlob(\.digest, of: key, in: db) { try $0.read(2, at: 0) } == [1, 2])
            #expect(try Document.withBlob(\.code, of: key, in: db) { $0.count } == 1)
            #expect(code(db) { try Document.changeBlob(\.digest, of: key, in: $0) { _ in } } == .blobAccess)
            #expect(code(db) { try Document.writeBlob(\.code, of: key, size: 2, in: $0) { _ in } } == .blobAccess)
            // An index that only the file has.
            try db.execute("CREATE INDEX extra ON document (content)")
            try Document.update(key, in: db) { [$0.content.set(Data([5]))] }
            #expect(code(db) { try Document.changeBlob(\.content, of: key, in: $0) { _ in } } == .blobAccess)
            #expect(
                code(db) { try Document.writeBlob(\.content, of: key, size: 1, in: $0) { try $0.append([9]) } }
                    == .blobAccess)
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
            #expect(code(db) { try Label.withBlob(\.image, of: "a", in: $0) { _ in } } == .blobAccess)
        }
    }
}
