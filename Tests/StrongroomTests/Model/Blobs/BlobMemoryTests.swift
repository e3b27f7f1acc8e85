#if canImport(Glibc)
import Foundation
import Glibc
import Strongroom
import StrongroomTesting
import Testing

@Suite("Memory of values in parts")
struct BlobMemoryTests {
    @Table("film")
    struct Film {
        var id: Int64?
        var content: Data
    }

    /// A value much larger than the page cache is written, replaced, changed and read, in a process of its own.
    @Test(.enabled(if: dlsym(nil, "__tsan_init") == nil, "the sanitizer keeps memory for each access"))
    func aLargeValueTakesThePageCacheAndOnePart() async throws {
        await #expect(processExitsWith: .success) {
            let store = try await TemporaryStore(tables: [Film.schema], settings: StoreSettings(readers: 1)).store
            let films = store.table(Film.self)
            let size = 64 << 20
            let key = try await store.write { db in try Film.insert(Film(content: Data()), in: db) }
            // The caches of the connections and of the allocator are full after this.
            try await films.writeBlob(\.content, of: key, size: 18 << 20) {
                try Parts(size: 18 << 20, seed: 1).append(to: &$0)
            }
            for try await _ in films.bytes(of: key, \.content) {}
            let before = try peakMemory()
            var log: [String] = []
            func note(_ step: String) throws { log.append("\(step): \(try (peakMemory() - before) >> 20) MB") }

            try await films.writeBlob(\.content, of: key, size: size) { try Parts(size: size, seed: 2).append(to: &$0) }
            try note("written")
            try await films.writeBlob(\.content, of: key, size: size) { try Parts(size: size, seed: 3).append(to: &$0) }
            try note("replaced")
            var (isSame, expected) = (true, Parts(size: size, seed: 3))
            for try await part in films.bytes(of: key, \.content, partSize: Parts.length) {
                isSame = expected.next() == part && isSame
            }
            try note("read")
            #expect(isSame)
            #expect(expected.next() == nil)
            let grown = try peakMemory() - before
            // The whole value would be 64 MB; the allocator keeps parts for several threads.
            if grown > 32 << 20 { print(log.joined(separator: ", ")) }
            exit(grown > 32 << 20 ? 1 : 0)
        }
    }

    /// Parts that are made when they are asked for.
    private struct Parts: Sequence, IteratorProtocol, Sendable {
        let size: Int
        let seed: UInt8
        private var made = 0
        static let length = 1 << 18

        init(size: Int, seed: UInt8) {
            (self.size, self.seed) = (size, seed)
        }

        func append(to blob: inout BlobWriter) throws {
            for part in self { try blob.append(part) }
        }

        mutating func next() -> [UInt8]? {
            guard made < size else { return nil }
            defer { made += Self.length }
            return [UInt8](repeating: seed &+ UInt8(truncatingIfNeeded: made / Self.length), count: Self.length)
        }
    }
}
#endif
