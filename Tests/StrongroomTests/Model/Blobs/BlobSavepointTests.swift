import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("Savepoints while a value is written in parts")
struct BlobSavepointTests {
    private typealias Document = BlobTests.Document
    private typealias Page = BlobTests.Page

    private struct Refusal: Error {}

    private static let key: Int64 = 1_000

    /// Writes in a document of 10,000 zeros, and expects what is in it afterwards.
    private func expectContent(
        _ expected: [UInt8], _ work: @escaping @Sendable (borrowing WriteTransaction, Int64) throws -> Void
    ) async throws {
        let temporary = try await BlobTests.store()
        let content = try await temporary.store.write { db throws in
            // With SQLCipher 3.4.1 a row of another table with the same number would expire the value.
            let document = Document(id: Self.key, name: "a", content: Data(count: 10_000))
            try work(db, try Document.insert(document, in: db))
            return try Document.find(Self.key, in: db)?.content
        }
        #expect(content == Data(expected))
        // The same is in the file.
        let stored = try await temporary.store.read { db in try Document.find(Self.key, in: db)?.content }
        #expect(stored == Data(expected))
    }

    @Test func `rows are written in savepoints between the parts`() async throws {
        let all = BlobTests.bytes(30_000)
        try await expectContent(all) { db, key throws in
            try Document.writeBlob(\.content, of: key, size: all.count, in: db) { blob in
                for start in stride(from: 0, to: all.count, by: 3_000) {
                    try blob.append(all[start..<start + 3_000])
                    try db.savepoint { db in _ = try Document.insert(Document(name: "b", content: Data()), in: db) }
                    let pages = [Page(name: "x", number: start), Page(name: "y", number: start)]
                    try Page.insert(contentsOf: pages, in: db)
                    #expect(try blob.read(3, at: start) == Array(all[start..<start + 3]))
                }
            }
            #expect(try Document.count(in: db) == 11 && Page.count(in: db) == 20)
        }
    }

    @Test func `parts are written in savepoints, and values in values`() async throws {
        let all = BlobTests.bytes(9_000)
        try await expectContent(all) { db, key throws in
            let other = try Document.insert(Document(name: "b", content: Data()), in: db)
            try Document.writeBlob(\.content, of: key, size: all.count, in: db) { blob in
                try db.savepoint { db in
                    try blob.append(all[..<3_000])
                    try db.savepoint { _ in try blob.append(all[3_000..<6_000]) }
                }
                try Document.writeBlob(\.content, of: other, size: 2, in: db) { inner in
                    try inner.append([1] as [UInt8])
                    try blob.append(all[6_000...])
                    try db.savepoint { _ in }
                    try inner.append([2] as [UInt8])
                }
            }
            #expect(try Document.find(other, in: db)?.content == Data([1, 2]))
        }
    }

    @Test func `a savepoint that is rolled back leaves the parts before it`() async throws {
        try await expectContent([1, 2, 3, 4]) { db, key throws in
            try Document.writeBlob(\.content, of: key, size: 4, in: db) { blob in
                try blob.append([1, 2] as [UInt8])
                try? db.savepoint { db in
                    try Document.insert(Document(name: "b", content: Data()), in: db)
                    #expect(try blob.read(2, at: 0) == [1, 2])
                    throw Refusal()
                }
                try blob.append([3, 4] as [UInt8])
            }
            #expect(try Document.count(in: db) == 1)
        }
    }

    @Test func `parts that are rolled back with a savepoint are not taken for written ones`() async throws {
        try await expectContent([9, 9]) { db, key throws in
            try Document.writeBlob(\.content, of: key, size: 2, in: db) { blob in
                try blob.append([9, 9] as [UInt8])
            }
            // With another part, and without.
            for isContinued in [true, false] {
                try expectFailure(.blobChanged) {
                    try Document.writeBlob(\.content, of: key, size: 3, in: db) { blob in
                        try blob.append([1] as [UInt8])
                        try? db.savepoint { db in
                            try db.savepoint { _ in try blob.append([2, 3] as [UInt8]) }
                            throw Refusal()
                        }
                        if isContinued { try blob.write([4] as [UInt8], at: 0) }
                    }
                }
            }
            try expectFailure(.blobChanged) {
                try Document.writeBlob(\.content, of: key, in: db) { blob in
                    try? db.savepoint { _ in
                        try blob.write([1] as [UInt8], at: 0)
                        throw Refusal()
                    }
                }
            }
            #expect(try Document.count(in: db) == 1)
        }
    }

    /// When the row is changed, beside a savepoint.
    enum Change: CaseIterable { case inIt, beforeIt, beforeItsRollback, betweenOneAndTheRollbackOfAnother }

    @Test(arguments: Change.allCases)
    func `a row that is changed expires the value, whatever savepoints there are`(change: Change) async throws {
        try await expectContent([5, 5]) { db, key throws in
            let isRolledBack = change != .inIt && change != .beforeIt
            if isRolledBack { try db.execute("CREATE TABLE own (x)") }
            try Document.update(key, in: db) { [$0.content.set(Data([5, 5]))] }
            try expectFailure(.blobChanged) {
                try Document.writeBlob(\.content, of: key, in: db) { blob in
                    if change == .betweenOneAndTheRollbackOfAnother { try db.savepoint { _ in } }
                    if change == .inIt {
                        try blob.write([1] as [UInt8], at: 0)
                        try db.savepoint { db in try Document.update(key, in: db) { [$0.content.set(Data([7, 7]))] } }
                    } else {
                        try Document.update(key, in: db) { [$0.content.set(Data([7, 7]))] }
                        try? db.savepoint { db in
                            try Document.insert(Document(name: "b", content: Data()), in: db)
                            if isRolledBack { throw Refusal() }
                        }
                    }
                    try blob.write([2] as [UInt8], at: 1)
                }
            }
            #expect(try Document.count(in: db) == 1)
        }
    }

    @Test func `a row that is as before after a rollback has not changed`() async throws {
        try await expectContent([1, 2]) { db, key throws in
            try Document.update(key, in: db) { [$0.content.set(Data([5, 5]))] }
            try Document.writeBlob(\.content, of: key, in: db) { blob in
                try blob.write([1] as [UInt8], at: 0)
                try? db.savepoint { db in
                    try Document.update(key, in: db) { [$0.content.set(Data([7, 7]))] }
                    throw Refusal()
                }
                try blob.write([2] as [UInt8], at: 1)
            }
        }
    }

    @Test func `an empty value is no obstacle`() async throws {
        try await expectContent([]) { db, key throws in
            try Document.writeBlob(\.content, of: key, size: 0, in: db) { _ in
                try db.savepoint { db in _ = try Document.insert(Document(name: "b", content: Data()), in: db) }
            }
            #expect(try Document.count(in: db) == 2)
        }
    }

    /// After a change of the schema the engine ends every open value when it rolls back to a savepoint.
    @Test(arguments: [
        "CREATE TABLE other (x)",
        "CREATE TEMP TRIGGER own AFTER INSERT ON page BEGIN SELECT 1; END",
    ])
    func `a rollback after a change of the schema leaves the parts before it`(change: String) async throws {
        try await expectContent([1, 2, 3, 4]) { db, key throws in
            try db.execute(SQL(verbatim: change))
            try Document.writeBlob(\.content, of: key, size: 4, in: db) { blob in
                try blob.append([1] as [UInt8])
                // Twice, and in one another, without a part between them.
                for _ in 0..<2 {
                    try? db.savepoint { db in
                        try? db.savepoint { db in
                            try Document.insert(Document(name: "b", content: Data()), in: db)
                            throw Refusal()
                        }
                        #expect(try blob.read(1, at: 0) == [1])
                        throw Refusal()
                    }
                }
                try blob.append([2] as [UInt8])
                // The library's own savepoint: a list that is inserted row by row after a failure.
                let pages = (0..<20).map { Page(name: "x", number: $0 % 19) }
                try expectFailure(.constraint) { try Page.insert(contentsOf: pages, in: db) }
                try blob.append([3] as [UInt8])
                try? db.savepoint { db in throw Refusal() }
                #expect(try blob.read(3, at: 0) == [1, 2, 3])
                try blob.append([4] as [UInt8])
            }
            #expect(try Document.count(in: db) == 1 && Page.count(in: db) == 0)
        }
    }

    @Test(arguments: [false, true])
    func `an empty value whose row is gone has expired`(isRolledBack: Bool) async throws {
        try await expectContent([]) { db, key throws in
            try Document.update(key, in: db) { [$0.content.set(Data())] }
            for statement in ["DELETE FROM document", "UPDATE document SET content = x'0102'"] {
                let error = try expectFailure(.constraint) {
                    try db.savepoint { db throws in
                        try Document.writeBlob(\.content, of: key, size: 0, in: db) { blob in
                            try db.execute(SQL(verbatim: statement))
                            // The savepoint is the engine's, and the value has nothing to do with it.
                            try? db.savepoint { db throws in
                                try Page.insert(Page(name: "x", number: 1), in: db)
                                if isRolledBack { throw Refusal() }
                            }
                            try expectFailure(.blobChanged) { try blob.read(0, at: 0) }
                            #expect(try Page.count(in: db) == (isRolledBack ? 0 : 1))
                        }
                        try db.execute("INSERT INTO page VALUES ('y', 1, NULL), ('y', 1, NULL)")
                    }
                }
                #expect(error.constraint != nil)
            }
        }
    }
}
