import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("Values in parts, as sequences")
struct BlobPartsTests {
    @Table("document")
    struct Document {
        var id: Int64?
        var name: String
        var content: Data?
    }

    private static let all = (0..<70_001).map { UInt8(truncatingIfNeeded: $0 &* 13 &+ $0 >> 8) }

    private static func append(to blob: inout BlobWriter) throws {
        for start in stride(from: 0, to: all.count, by: 10_000) {
            try blob.append(Data(all[start..<min(start + 10_000, all.count)]))
        }
    }

    @Test(arguments: [1_000, 70_001, 1 << 18])
    func `a value is written in parts, and read in parts`(partSize: Int) async throws {
        let temporary = try await TemporaryStore(tables: [Document.schema])
        let documents = temporary.store.table(Document.self)
        let key = try await temporary.store.write { db in try Document.insert(Document(name: "a"), in: db) }
        try await documents.writeBlob(\.content, of: key, size: Self.all.count) { try Self.append(to: &$0) }
        var (read, count) = ([UInt8](), 0)
        for try await part in documents.bytes(of: key, \.content, partSize: partSize) {
            #expect(!part.isEmpty && part.count <= partSize)
            read += part
            count += 1
        }
        #expect(read == Self.all)
        #expect(count == (Self.all.count + partSize - 1) / partSize)
    }

    @Test func `a store in memory`() async throws {
        let store = try await Store.inMemory(Document.self)
        let documents = store.table(Document.self)
        let key = try await store.write { db in try Document.insert(Document(name: "a"), in: db) }
        try await documents.writeBlob(\.content, of: key, size: Self.all.count) { try Self.append(to: &$0) }
        var read: [UInt8] = []
        for try await part in documents.bytes(of: key, \.content, partSize: 9_000) {
            read += part
            try await store.write { db in try Document.delete(key, in: db) }
        }
        #expect(read == Self.all)
    }

    @Test func `the parts are from one snapshot, whatever is written meanwhile`() async throws {
        let temporary = try await TemporaryStore(tables: [Document.schema])
        let documents = temporary.store.table(Document.self)
        let key = try await temporary.store.write { db in
            try Document.insert(Document(name: "a", content: Data(Self.all)), in: db)
        }
        var read: [UInt8] = []
        for try await part in documents.bytes(of: key, \.content, partSize: 30_000) {
            read += part
            try await temporary.store.write { db in try Document.delete(key, in: db) }
        }
        #expect(read == Self.all)
        await #expect {
            for try await _ in documents.bytes(of: key, \.content) {}
        } throws: {
            ($0 as? StrongroomError)?.code == .noSuchRow
        }
    }

    @Test func `an empty value has no part, and NULL is an error`() async throws {
        let temporary = try await TemporaryStore(tables: [Document.schema])
        let documents = temporary.store.table(Document.self)
        let key = try await temporary.store.write { db in try Document.insert(Document(name: "a"), in: db) }
        await #expect {
            for try await _ in documents.bytes(of: key, \.content) {}
        } throws: {
            ($0 as? StrongroomError)?.code == .typeMismatch
        }
        try await documents.writeBlob(\.content, of: key, size: 0) { _ in }
        for try await _ in documents.bytes(of: key, \.content) { Issue.record("a part") }
        #expect(try await documents.find(key)?.content == Data())
        await #expect {
            for try await _ in documents.bytes(of: key, \.content, partSize: 0) {}
        } throws: {
            ($0 as? StrongroomError)?.code == .invalidArgument
        }
    }

    @Test func `a write that fails, is too short or too long keeps the previous value`() async throws {
        struct Halt: Error {}
        let temporary = try await TemporaryStore(tables: [Document.schema])
        let documents = temporary.store.table(Document.self)
        let key = try await temporary.store.write { db in
            try Document.insert(Document(name: "a", content: Data([1])), in: db)
        }
        await #expect(throws: Halt.self) {
            try await documents.writeBlob(\.content, of: key, size: 9) { blob in
                try blob.append([1, 2])
                throw Halt()
            }
        }
        for size in [Self.all.count - 1, Self.all.count + 1] {
            await #expect {
                try await documents.writeBlob(\.content, of: key, size: size) { try Self.append(to: &$0) }
            } throws: {
                ($0 as? StrongroomError)?.code == .invalidArgument
            }
        }
        await #expect {
            try await documents.writeBlob(\.content, of: 77, size: 1) { try $0.append([1]) }
        } throws: {
            ($0 as? StrongroomError)?.code == .noSuchRow
        }
        #expect(try await documents.find(key)?.content == Data([1]))
    }

    @Test func `a cancelled write keeps the value, a cancelled read releases its reader`() async throws {
        let temporary = try await TemporaryStore(tables: [Document.schema])
        let documents = temporary.store.table(Document.self)
        let key = try await temporary.store.write { db in
            try Document.insert(Document(name: "a", content: Data(Self.all)), in: db)
        }
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await documents.writeBlob(\.content, of: key, size: 2) { blob in
                try blob.append([1, 2])
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await documents.find(key)?.content == Data(Self.all))

        let reading = Task {
            for try await _ in documents.bytes(of: key, \.content, partSize: 100) { try await Task.sleep(for: .zero) }
        }
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
        try await temporary.store.close()
    }
}
