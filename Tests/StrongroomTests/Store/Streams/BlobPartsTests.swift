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

    private func parts(_ count: Int = all.count) -> AsyncStream<Data> {
        AsyncStream { continuation in
            for start in stride(from: 0, to: count, by: 10_000) {
                continuation.yield(Data(Self.all[start..<min(start + 10_000, count)]))
            }
            continuation.finish()
        }
    }

    @Test(arguments: [1_000, 70_001, 1 << 18])
    func `a sequence is written, and read as one`(partSize: Int) async throws {
        let temporary = try await TemporaryStore(tables: [Document.schema])
        let documents = temporary.store.table(Document.self)
        let key = try await temporary.store.write { db in try Document.insert(Document(name: "a"), in: db) }
        try await documents.writeBlob(\.content, of: key, size: Self.all.count, from: parts())
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
        try await documents.writeBlob(\.content, of: key, size: Self.all.count, from: parts())
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
        try await documents.writeBlob(\.content, of: key, size: 0, from: parts(0))
        for try await _ in documents.bytes(of: key, \.content) { Issue.record("a part") }
        #expect(try await documents.find(key)?.content == Data())
        await #expect {
            for try await _ in documents.bytes(of: key, \.content, partSize: 0) {}
        } throws: {
            ($0 as? StrongroomError)?.code == .invalidArgument
        }
    }

    @Test func `a sequence that fails, is too short or too long keeps the former value`() async throws {
        struct Halt: Error {}
        let temporary = try await TemporaryStore(tables: [Document.schema])
        let documents = temporary.store.table(Document.self)
        let key = try await temporary.store.write { db in
            try Document.insert(Document(name: "a", content: Data([1])), in: db)
        }
        let failing = AsyncThrowingStream<Data, any Error> { continuation in
            continuation.yield(Data([1, 2]))
            continuation.finish(throwing: Halt())
        }
        await #expect(throws: Halt.self) {
            try await documents.writeBlob(\.content, of: key, size: 9, from: failing)
        }
        for size in [Self.all.count - 1, Self.all.count + 1] {
            await #expect {
                try await documents.writeBlob(\.content, of: key, size: size, from: parts())
            } throws: {
                ($0 as? StrongroomError)?.code == .invalidArgument
            }
        }
        await #expect {
            try await documents.writeBlob(\.content, of: 77, size: 1, from: parts())
        } throws: {
            ($0 as? StrongroomError)?.code == .noSuchRow
        }
        #expect(try await documents.find(key)?.content == Data([1]))
    }

    /// A sequence that waits in the middle: the write holds no lock before its first part, and ends with its task.
    @Test func `a cancelled write is rolled back, a cancelled read releases its reader`() async throws {
        let temporary = try await TemporaryStore(tables: [Document.schema])
        let documents = temporary.store.table(Document.self)
        let key = try await temporary.store.write { db in
            try Document.insert(Document(name: "a", content: Data(Self.all)), in: db)
        }
        let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
        let task = Task { try await documents.writeBlob(\.content, of: key, size: 10, from: stream) }
        // Nothing has arrived yet, so the writer is free.
        try await temporary.store.write { db in try Document.update(key, in: db) { [$0.name.set("b")] } }
        continuation.yield(Data([1, 2]))
        task.cancel()
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
