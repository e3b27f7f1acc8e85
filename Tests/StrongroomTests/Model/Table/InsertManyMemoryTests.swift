#if canImport(Glibc)
import Foundation
import Glibc
import Strongroom
import StrongroomTesting
import Testing

@Suite("Memory of written lists")
struct InsertManyMemoryTests {
    /// How much more memory a process needs at its peak for 40,000 rows than for 4,000, in a process of its own.
    @Test(.enabled(if: dlsym(nil, "__tsan_init") == nil, "the sanitizer keeps memory for each access"))
    func rowsWithAForeignKeyUseNoAdditionalMemory() async throws {
        await #expect(processExitsWith: .success) {
            let store = try await TemporaryStore(tables: [Owner.schema, Possession.schema]).store
            let owners = (0..<40_000).map { Owner(id: UUID(), name: "\($0)") }
            try await store.write { db throws in _ = try Owner.insert(contentsOf: owners, in: db) }
            let possessions = owners.map { Possession(id: UUID(), owner: $0.id) }
            try await store.write { db throws in
                _ = try Possession.insert(contentsOf: possessions.prefix(4_000), in: db)
            }
            let before = try peakMemory()
            try await store.write { db throws in
                _ = try Possession.insert(contentsOf: possessions.dropFirst(4_000), in: db)
            }
            let grown = try peakMemory() - before
            // The page cache and the list of keys; without the mend it is 190 MB on SQLCipher 3.4.1.
            if grown > 24 << 20 { print("grown by \(grown)") }
            exit(grown > 24 << 20 ? 1 : 0)
        }
    }

    /// Each way to write a list into rows that are there.
    @Test(.enabled(if: dlsym(nil, "__tsan_init") == nil, "the sanitizer keeps memory for each access"))
    func updatedRowsUseNoAdditionalMemory() async throws {
        await #expect(processExitsWith: .success) {
            let store = try await TemporaryStore(tables: [Owner.schema, Loan.schema]).store
            let owners = (0..<20_000).map { Owner(id: UUID(), name: "\($0)") }
            let loans = owners.map { Loan(id: UUID(), owner: $0.id, note: "lent") }
            try await store.write { db throws in
                _ = try Owner.insert(contentsOf: owners, in: db)
                _ = try Loan.insert(contentsOf: loans, in: db)
            }
            func write(_ loans: [Loan]) async throws {
                try await store.write { db throws in
                    var loans = loans
                    try Loan.update(contentsOf: loans, in: db)
                    try Loan.upsert(contentsOf: loans, in: db)
                    try Loan.upsert(contentsOf: loans, .by(\.id, only: { [$0.owner, $0.note] }), in: db)
                    try Loan.save(contentsOf: &loans, in: db)
                }
            }
            try await write(Array(loans.prefix(2_000)))
            let before = try peakMemory()
            try await write(loans)
            let grown = try peakMemory() - before
            // The page cache and the lists of keys, 3 MB; on SQLCipher 3.4.1 it is 21 MB where the ordinary form of the
            // statement is used, and 66 MB for each list where the foreign key is written, too.
            if grown > 12 << 20 { print("grown by \(grown)") }
            exit(grown > 12 << 20 ? 1 : 0)
        }
    }

    /// A list of rows to which a foreign key can refer, by keys and with what refers to them.
    @Test(.enabled(if: dlsym(nil, "__tsan_init") == nil, "the sanitizer keeps memory for each access"))
    func deletedRowsUseNoAdditionalMemory() async throws {
        await #expect(processExitsWith: .success) {
            let store = try await TemporaryStore(tables: [Owner.schema, Possession.schema]).store
            let owners = (0..<40_000).map { Owner(id: UUID(), name: "\($0)") }
            try await store.write { db throws in _ = try Owner.insert(contentsOf: owners, in: db) }
            let before = try peakMemory()
            try await store.write { db throws in
                try Owner.delete(keys: owners.prefix(20_000).map(\.id), in: db)
                try Owner.delete(contentsOf: owners.suffix(20_000), cascading: true, in: db)
                #expect(try Owner.count(in: db) == 0)
            }
            let grown = try peakMemory() - before
            // The lists and each changed page once, 12 MB; with a statement for each row 59 MB on SQLCipher 3.4.1.
            if grown > 24 << 20 { print("grown by \(grown)") }
            exit(grown > 24 << 20 ? 1 : 0)
        }
    }

    @Table("owner")
    struct Owner {
        @Column(primaryKey: true) var id: UUID
        var name: String
    }

    @Table("possession")
    struct Possession {
        @Column(primaryKey: true) var id: UUID
        @Column(indexed: true, references: Reference("owner")) var owner: UUID
    }
}

extension InsertManyMemoryTests {
    @Table("loan")
    struct Loan {
        @Column(primaryKey: true) var id: UUID
        @Column(indexed: true, references: Reference("owner")) var owner: UUID
        var note: String
    }
}

/// The highest amount of memory that the process has had, in bytes.
func peakMemory() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
    let number = try #require(line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) })
    return number << 10
}
#endif
