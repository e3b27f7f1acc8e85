import Strongroom
import StrongroomTesting
import Testing

struct IntegerValueTests {
    @Test func integersOfEverySizeAndWidthRoundTrip() async throws {
        var edges: [Int64] = [.min, .max, 0, -1, 1]
        // The engine stores an integer in 1, 2, 3, 4, 6 or 8 bytes: the edges of each.
        for bits: Int64 in [7, 8, 15, 16, 23, 24, 31, 32, 47, 48, 53, 62] {
            let edge = Int64(1) << bits
            edges += [edge - 1, edge, edge + 1, -edge - 1, -edge, -edge + 1]
        }
        var generator = SeededGenerator(1)
        let numbers = (0..<500).map { _ in
            Int64(truncatingIfNeeded: generator.next()) >> Int64.random(in: 0..<64, using: &generator)
        }
        try await expectRoundTrip(edges + numbers)
        try await expectRoundTrip([Int.min, -1, 0, 1, Int.max])
        try await expectRoundTrip([Int8.min, -1, 0, 1, Int8.max])
        try await expectRoundTrip([Int16.min, -1, 0, 1, Int16.max])
        try await expectRoundTrip([Int32.min, -1, 0, 1, Int32.max])
        try await expectRoundTrip([0, 1, UInt(Int.max)])
        try await expectRoundTrip([0, 1, UInt8.max])
        try await expectRoundTrip([0, 1, UInt16.max])
        try await expectRoundTrip([0, 1, UInt32.max])
        try await expectRoundTrip([0, 1, UInt64(Int64.max)])
    }

    @Test func anIntegerTooLargeForItsTypeIsAMismatch() async throws {
        try await expectTooLarge(Int8.self, [-129, 128, .min, .max])
        try await expectTooLarge(Int16.self, [-32_769, 32_768, .min, .max])
        try await expectTooLarge(Int32.self, [-2_147_483_649, 2_147_483_648, .min, .max])
        try await expectTooLarge(UInt8.self, [-1, 256, .min, .max])
        try await expectTooLarge(UInt16.self, [-1, 65_536, .min, .max])
        try await expectTooLarge(UInt32.self, [-1, 4_294_967_296, .min, .max])
        try await expectTooLarge(UInt64.self, [-1, .min])
        try await expectTooLarge(UInt.self, [-1, .min])
    }

    private func expectTooLarge<Narrow: ColumnValue>(_ type: Narrow.Type, _ stored: [Int64]) async throws {
        let store = try await TemporaryStore(tables: [Cell<Int64>.schema]).store
        let keys = try await store.write { db in try Cell<Int64>.insert(contentsOf: stored.map { Cell($0) }, in: db) }
        try await store.read { db in
            for (key, number) in zip(keys, stored) {
                let error = try expectFailure(.typeMismatch) { try Cell<Narrow>.find(key, in: db) }
                #expect(error.message.contains(" contains an integer where \(Narrow.self) is expected"))
                #expect(!"\(error)".contains("\(number)"), "the value is the user's secret")
            }
        }
    }

    @Test(arguments: [UInt64(Int64.max) + 1, .max])
    func anIntegerAbove63BitsIsRefusedAndNothingIsWritten(number: UInt64) async throws {
        try await TemporaryStore(tables: [Cell<Int64>.schema]).store.write { db in
            try Cell<Int64>.insert(Cell(7), in: db)
            let refusals = [
                try expectFailure(.valueNotStorable) { try Cell<UInt64>.insert(Cell(number), in: db) },
                try expectFailure(.valueNotStorable) { try Cell<UInt64>.update(Cell(id: 1, number), in: db) },
                try expectFailure(.valueNotStorable) { try Cell<UInt64>.upsert(Cell(id: 1, number), in: db) },
                try expectFailure(.valueNotStorable) { try db.execute("UPDATE cell SET content = \(number)") },
                try expectFailure(.valueNotStorable) { try db.execute("UPDATE cell SET content = \(UInt(number))") },
                try expectFailure(.valueNotStorable) {
                    try Cell<UInt64>.where { $0.content == number }.fetch(in: db)
                },
            ]
            for refusal in refusals { #expect(!"\(refusal)".contains("\(number)")) }
            #expect(try Cell<Int64>.all(in: db).map(\.content) == [7])
        }
    }

    @Test func aBoolIsZeroOrOneAndNothingElse() async throws {
        try await expectRoundTrip([true, false])
        try await TemporaryStore(tables: [Cell<Int64>.schema]).store.write { db in
            try Cell<Bool>.insert(Cell(true), in: db)
            try Cell<Bool>.insert(Cell(false), in: db)
            #expect(try Cell<Int64>.all(in: db).map(\.content) == [1, 0])
            for odd: Int64 in [2, -1, .max] {
                try Cell<Int64>.insert(Cell(id: 9, odd), in: db)
                let error = try expectFailure(.typeMismatch) { try Cell<Bool>.find(9, in: db) }
                #expect(error.message.contains(" contains an integer where Bool (0 or 1) is expected"))
                try Cell<Int64>.delete(9, in: db)
            }
        }
    }
}
