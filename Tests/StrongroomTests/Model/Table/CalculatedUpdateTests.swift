import Strongroom
import StrongroomTesting
import Testing

/// A type of a program's own, whose range is smaller than that of its raw value.
struct Percentage: RawRepresentable, NumericColumnValue, Equatable {
    let rawValue: Int

    init(_ value: Int) { rawValue = value }

    init?(rawValue: Int) {
        guard (0...100).contains(rawValue) else { return nil }
        self.rawValue = rawValue
    }
}

/// An update by calculation stores a value that its column's type reads, or nothing.
@Suite("Updates by calculation")
struct CalculatedUpdateTests {
    @Table("num")
    struct Num: Equatable {
        var id: Int64?
        var int: Int = 0
        var int8: Int8 = 0
        var uint: UInt = 0
        var uint8: UInt8 = 0
        var maybe: UInt16?
        var float: Float = 0
        var double: Double = 0
        var percent: Percentage = Percentage(0)
    }

    static let row = Num(
        id: 1, int: .max, int8: .min, uint: 0, uint8: 255, maybe: .max, float: 0.1, double: 0.5,
        percent: Percentage(99))

    typealias Change = @Sendable (Num.Columns) -> [Assignment]

    /// What does not fit, each by itself: the compiler takes long for a list of closures.
    static let tooFar: [Change] = {
        var changes: [Change] = []
        changes.append { [$0.int.set($0.int + 1)] }
        changes.append { [$0.int.set(-2 - $0.int)] }
        changes.append { [$0.int.set($0.int * 2)] }
        changes.append { [$0.int8.set($0.int8 - 1)] }
        changes.append { [$0.int8.set(-$0.int8)] }
        changes.append { [$0.int8.set($0.int8 / -1)] }
        changes.append { [$0.uint.set($0.uint - 1)] }
        changes.append { [$0.uint8.set($0.uint8 + 1)] }
        changes.append { [$0.uint8.set($0.uint8 * $0.uint8)] }
        changes.append { [$0.maybe.set($0.maybe + 1)] }
        let largest = Float.greatestFiniteMagnitude
        changes.append { [$0.float.set($0.float * largest + largest)] }
        changes.append { [$0.percent.set($0.percent + $0.percent)] }
        changes.append { [$0.double.set(1), $0.uint8.set($0.uint8 + 1)] }
        changes.append { [$0.uint8.set(CaseExpression.when($0.int > 0, then: $0.uint8 + 1).else($0.uint8))] }
        return changes
    }()

    @Test(arguments: Array(tooFar.indices), [false, true])
    func whatDoesNotFitIsRefusedAndNothingIsChanged(index: Int, isFound: Bool) async throws {
        let store = try await TemporaryStore(tables: [Num.schema]).store
        let change = Self.tooFar[index]
        try await store.write { db throws in
            try Num.insert(Self.row, in: db)
            try expectFailure(.limit, saying: "calculation") { () throws -> Int in
                if isFound { return try Num.update(1, in: db, change) ? 1 : 0 }
                return try Num.where { $0.id > 0 }.update(in: db, change)
            }
            #expect(try Num.all(in: db) == [Self.row])
        }
    }

    @Test func whatFitsIsStored() async throws {
        try await TemporaryStore(tables: [Num.schema]).store.write { db throws in
            try Num.insert(Self.row, in: db)
            try Num.update(1, in: db) { [$0.int.set($0.int - 1), $0.int8.set($0.int8 + 1)] }
            try Num.update(1, in: db) { [$0.uint.set($0.uint + 7), $0.uint8.set($0.uint8 - 255)] }
            try Num.update(1, in: db) { [$0.maybe.set($0.maybe - 1), $0.float.set($0.float * 3)] }
            try Num.update(1, in: db) { [$0.double.set($0.double / 0.3)] }
            try Num.update(1, in: db) { [$0.percent.set($0.percent + Percentage(1))] }
            let float: Float = 0.1
            let wanted = Num(
                id: 1, int: .max - 1, int8: -127, uint: 7, uint8: 0, maybe: .max - 1, float: float * 3,
                double: 0.5 / 0.3, percent: Percentage(100))
            #expect(try Num.find(1, in: db) == wanted)
            try Num.update(1, in: db) { [$0.maybe.set($0.maybe / 0), $0.double.set($0.double * 2)] }
            #expect(try Num.find(1, in: db)?.maybe == nil)
            // Of a column alone nothing is calculated.
            try Num.update(1, in: db) { [$0.int.set($0.int), $0.uint8.set(200)] }
            #expect(try Num.find(1, in: db)?.uint8 == 200)
        }
    }

    @Test func sumsAndQuotientsHaveATypeThatHoldsThem() async throws {
        try await TemporaryStore(tables: [Num.schema]).store.write { db throws in
            var other = Self.row
            other.id = 2
            other.maybe = nil
            try Num.insert(contentsOf: [Self.row, other], in: db)
            let sum: Int? = try Num.query.value(in: db) { $0.uint8.sum() }
            let negative: Int? = try Num.query.value(in: db) { $0.int8.sum() }
            let maybe: Int? = try Num.query.value(in: db) { $0.maybe.sum() }
            #expect(sum == 510 && negative == -256 && maybe == 65_535)
            let float: Double? = try Num.query.value(in: db) { $0.float.sum() }
            #expect(float == Double(0.1 as Float) * 2)
            let ordered = Num.order { $0.id.ascending }
            let quotients: [UInt8?] = try ordered.select { $0.uint8 / 0 }.fetch(in: db)
            #expect(quotients == [nil, nil])
            let rests: [UInt16?] = try ordered.select { $0.maybe % 10 }.fetch(in: db)
            #expect(rests == [5, nil])
            let columns: [UInt?] = try ordered.select { 7 / $0.uint }.fetch(in: db)
            #expect(columns == [nil, nil])
            let two: [Int?] = try ordered.select { $0.int / $0.int + 1 }.fetch(in: db)
            #expect(two == [2, 2])
        }
    }

    @Test func updatesThatReturnTheirRowsAndInsertsAreNoWayAround() async throws {
        try await TemporaryStore(tables: [Num.schema]).store.write { db throws in
            try Num.insert(Self.row, in: db)
            try expectFailure(.limit) {
                try Num.where { $0.id == 1 }.update(in: db, returning: Num.self) { [$0.uint8.set($0.uint8 + 1)] }
            }
            #expect(try Num.all(in: db) == [Self.row])
        }
    }
}
