import Strongroom
import StrongroomTesting
import Testing

struct RealValueTests {
    private static let edges: [Double] = [
        0, 1, -1, 0.1, -0.1, .pi, 1e15, 1e16, 1e22, 1e-300, 9_007_199_254_740_992,
        .infinity, -.infinity, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
        .leastNormalMagnitude, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, Double.leastNormalMagnitude.nextDown,
        .ulpOfOne, Double(Int64.max), Double(Int64.min),
    ]

    @Test func everyDoubleAndFloatRoundTripsBitForBit() async throws {
        var generator = SeededGenerator(2)
        try await expectRoundTrip(Self.edges + (0..<1_000).map { _ in generator.number() }, by: \.bitPattern)
        let edges: [Float] = [
            0, 1, -1, 0.1, .pi, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNormalMagnitude,
            .leastNonzeroMagnitude, -.leastNonzeroMagnitude,
        ]
        try await expectRoundTrip(edges, by: \.bitPattern)
    }

    /// The engine keeps a whole number in a REAL column as an integer, which has no negative zero.
    @Test func negativeZeroComesBackFromARealColumnAsZero() async throws {
        let result = try await RoundTrip([-0.0])
        #expect(result.asRecord == [0])
        #expect(result.asUpdate == [0])
        #expect(result.asParameter.map(\.sign) == [.minus])
        #expect(try await RoundTrip([SQLValue.real(-0.0)]).asParameter == [.real(0)])
    }

    @Test func negativeZeroKeepsItsSignInAColumnOfAnyType() async throws {
        let result = try await RoundTrip([SQLValue.real(-0.0)])
        guard case .real(let number)? = result.asRecord.first else {
            Issue.record("no real number: \(result.asRecord)")
            return
        }
        #expect(number.sign == .minus)
    }

    @Test(arguments: [0.1, 1e300, -1e-300])
    func aDoubleThatFloatCannotHoldIsAMismatch(number: Double) async throws {
        let store = try await TemporaryStore(tables: [Cell<Double>.schema]).store
        let key = try await store.write { db in try Cell<Double>.insert(Cell(number), in: db) }
        let error = try await expectFailure(.typeMismatch) { try await store.table(Cell<Float>.self).find(key) }
        #expect(error.message.contains(" contains a floating-point number where Float is expected"))
    }

    @Test func anIntegerIsReadAsADoubleWhereItIsExact() async throws {
        try await TemporaryStore().store.read { db in
            #expect(try db.value("SELECT \(Int64(1) << 53)", as: Double.self) == 9_007_199_254_740_992)
            #expect(try db.value("SELECT -5", as: Double.self) == -5)
            let error = try expectFailure(.typeMismatch) {
                try db.value("SELECT \((Int64(1) << 53) + 1) AS n", as: Double.self)
            }
            #expect(error.message.contains(" contains an integer where a number that Double can represent is expected"))
        }
    }

    @Test func aDoubleIsNotReadAsAnInteger() async throws {
        try await TemporaryStore().store.read { db in
            for real: SQL in ["SELECT 1.5", "SELECT 2.0", "SELECT 9e999", "SELECT \(2.0)"] {
                try expectFailure(.typeMismatch) { try db.value(real, as: Int64.self) }
            }
        }
    }
}

struct NotANumberTests {
    private static let notNumbers: [Double] = [.nan, -.nan, .signalingNaN, Double(nan: 7, signaling: false)]

    @Test(arguments: notNumbers)
    func noRecordWritesNaN(nan: Double) async throws {
        try await TemporaryStore(tables: [Cell<Double?>.schema]).store.write { db in
            try Cell<Double?>.insert(Cell(1), in: db)
            try expectFailure(.valueNotStorable) { try Cell<Double>.insert(Cell(nan), in: db) }
            try expectFailure(.valueNotStorable) { try Cell<Double?>.insert(Cell(nan), in: db) }
            try expectFailure(.valueNotStorable) { try Cell<Float>.insert(Cell(Float(nan)), in: db) }
            try expectFailure(.valueNotStorable) { try Cell<SQLValue>.insert(Cell(.real(nan)), in: db) }
            try expectFailure(.valueNotStorable) { try Cell<Double>.update(Cell(id: 1, nan), in: db) }
            try expectFailure(.valueNotStorable) { try Cell<Double?>.upsert(Cell(id: 1, nan), in: db) }
            try expectFailure(.valueNotStorable) {
                try Cell<Double>.insert(contentsOf: [Cell(2), Cell(nan), Cell(3)], in: db)
            }
            #expect(try Cell<Double?>.all(in: db).map(\.content) == [1])
        }
    }

    @Test(arguments: notNumbers)
    func noParameterIsNaN(nan: Double) async throws {
        try await TemporaryStore(tables: [Cell<Double?>.schema]).store.write { db in
            try Cell<Double?>.insert(Cell(1), in: db)
            let maybe: Double? = nan
            try expectFailure(.valueNotStorable) { try db.execute("UPDATE cell SET content = \(nan)") }
            try expectFailure(.valueNotStorable) { try db.execute("UPDATE cell SET content = \(maybe)") }
            try expectFailure(.valueNotStorable) { try db.execute("UPDATE cell SET content = \(SQLValue.real(nan))") }
            try expectFailure(.valueNotStorable) { try db.value("SELECT \(Float(nan))", as: Double?.self) }
            let part: SQL = "content < \(nan)"
            try expectFailure(.valueNotStorable) { try db.execute("DELETE FROM cell WHERE \(part)") }
            #expect(try Cell<Double?>.all(in: db).map(\.content) == [1])
        }
    }

    @Test func noConditionHoldsNaN() async throws {
        try await TemporaryStore(tables: [Cell<Double?>.schema]).store.write { db in
            try Cell<Double?>.insert(Cell(1), in: db)
            let nan = Double.nan
            let queries: [Query<Cell<Double?>>] = [
                Cell.where { $0.content == nan }, Cell.where { $0.content != nan },
                Cell.where { $0.content < nan }, Cell.where { $0.content <= nan },
                Cell.where { $0.content > nan }, Cell.where { $0.content >= nan },
                Cell.where { $0.content.isIn([1, nan]) }, Cell.where { !($0.content == nan) },
                Cell.where { $0.content == 1 || $0.content > nan },
                Cell.where { Condition("content > \(nan)") && $0.id == 1 },
            ]
            for query in queries {
                try expectFailure(.valueNotStorable) { try query.fetch(in: db) }
                try expectFailure(.valueNotStorable) { try query.count(in: db) }
                try expectFailure(.valueNotStorable) { try query.delete(in: db) }
                try expectFailure(.valueNotStorable) { try query.limit(1).delete(in: db) }
            }
            #expect(try Cell<Double?>.count(in: db) == 1)
        }
    }
}
