import Foundation
import Strongroom
import StrongroomTesting
import Testing

@Suite("The examples of \"Large values\"")
struct LargeValuesExamples {
    @Table("document", in: "archive.sqlite")
    struct Document {
        var id: Int64?
        var name: String
        var content: Data?
    }

    /// Another program.
    private actor Connection {
        private(set) var received: [UInt8] = []

        func send(_ part: [UInt8]) async throws { received += part }
    }

    @Test func aValueIsWrittenAndRead() async throws {
        let temporary = try await TemporaryStore(tables: [Document.schema])
        let store = temporary.store
        let all = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
        let size = all.count
        let parts = [all.prefix(100_000), all.dropFirst(100_000)]

        let key = try await store.write { try Document.insert(Document(name: "Scan"), in: $0) }
        try await store.table(Document.self).writeBlob(\.content, of: key, size: size) { blob in
            for part in parts { try blob.append(part) }
        }

        let header: [UInt8] = [9, 8, 7]
        try await store.write { db in
            try Document.writeBlob(\.content, of: key, in: db) { blob in try blob.write(header, at: 0) }
        }

        let connection = Connection()
        for try await part in store.table(Document.self).bytes(of: key, \.content) {
            try await connection.send(part)
        }
        #expect(await connection.received == header + Array(all.dropFirst(3)))
        try await headerIsRead(store, key)
    }

    private func headerIsRead(_ store: Store, _ key: Int64) async throws {
        let header = try await store.read { db in
            try Document.withBlob(\.content, of: key, in: db) { blob in
                try blob.read(min(16, blob.count), at: 0)
            }
        }
        #expect(header.prefix(4) == [9, 8, 7, 3])
        #expect(header.count == 16)
    }

    @Test func aFileIsWritten() async throws {
        let temporary = try await TemporaryStore(tables: [Document.schema])
        let store = temporary.store
        let path = temporary.directory.path("film")
        let size = 600_000
        try Data(repeating: 5, count: size).write(to: URL(filePath: path))

        try await store.write(as: .immediate) { db in
            let file = try FileHandle(forReadingFrom: URL(filePath: path))
            defer { try? file.close() }
            let key = try Document.insert(Document(name: "Film"), in: db)
            try Document.writeBlob(\.content, of: key, size: size, in: db) { blob in
                while let part = try file.read(upToCount: 1 << 18), !part.isEmpty { try blob.append(part) }
            }
        }
        let found = try await store.table(Document.self).all()
        #expect(found.map(\.content) == [Data(repeating: 5, count: size)])
    }
}
