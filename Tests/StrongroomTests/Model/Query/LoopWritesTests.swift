import Strongroom
import StrongroomTesting
import Testing

@Table("ix")
private struct Ix: Equatable {
    var id: Int64?
    @Column(indexed: true) var n: Int
    var text: String?
}

@Table("part")
private struct Part: Equatable {
    var id: Int64?
    var content: [UInt8]
}

/// Loops whose closures write to the table that the rows come from.
@Suite("Loops that write to their rows")
struct LoopWritesTests {
    struct Endless: Error {}

    private let store: Store

    init() async throws {
        store = try await TemporaryStore(tables: [Ix.schema]).store
        try await store.write { db in
            for n in 1...5 { try Ix.insert(Ix(n: n, text: "row \(n)"), in: db) }
        }
    }

    /// What the closure of a loop writes.
    enum Write: CaseIterable { case rowInItsIndex, newRow, deletion, anotherTable, byTrigger, undone }

    @Test(arguments: Write.allCases) func eachRowOfTheBeginningIsMetOnce(write: Write) async throws {
        try await store.write { db in
            try db.execute("CREATE TABLE cause (n INTEGER)")
            if write == .byTrigger {
                try db.execute(
                    "CREATE TRIGGER moved AFTER INSERT ON cause BEGIN UPDATE ix SET n = n + 100 WHERE id = new.n; END")
            }
            var met: [Int] = []
            try Ix.order { $0.n.ascending }.forEach(in: db) { row in
                met.append(row.n)
                guard met.count <= 5 else { throw Endless() }
                switch write {
                case .rowInItsIndex:
                    var row = row
                    row.n += 100
                    try Ix.update(row, in: db)
                case .newRow: try Ix.insert(Ix(n: row.n + 100, text: row.text), in: db)
                case .deletion: try db.execute("DELETE FROM ix")
                case .anotherTable, .byTrigger: try db.execute("INSERT INTO cause VALUES (\(row.id))")
                case .undone:
                    #expect(throws: Endless.self) {
                        try db.savepoint { db in
                            try db.execute("UPDATE ix SET n = n + 100")
                            throw Endless()
                        }
                    }
                }
            }
            #expect(met == [1, 2, 3, 4, 5])
            let left: [Int] =
                switch write {
                case .rowInItsIndex, .byTrigger: Array(101...105)
                case .newRow: Array(1...5) + Array(101...105)
                case .deletion: []
                case .anotherTable, .undone: Array(1...5)
                }
            #expect(try Ix.all(in: db).map(\.n) == left)
        }
    }

    @Test("A row of SQL keeps its values after a write, of every type")
    func theCurrentRowStays() async throws {
        try await store.write { db in
            try db.execute("CREATE TABLE cell (a INTEGER PRIMARY KEY, r REAL, t TEXT, b BLOB, z)")
            try db.execute("CREATE INDEX cell_r ON cell (r)")
            for key in 1...3 {
                try db.execute(
                    """
                    INSERT INTO cell VALUES (\(key), \(Double(key) + 0.5), \("t\(key)"), \([UInt8(key), 0]), NULL)
                    """)
            }
            var rows: [[SQLValue]] = []
            try db.forEachRow("SELECT r AS real, a, t, b, z FROM cell WHERE r > 0 ORDER BY r") { row in
                guard rows.count < 3 else { throw Endless() }
                let key: Int64 = try row[1]
                try db.execute("UPDATE cell SET r = r + 100, t = 'new', b = NULL, z = 1 WHERE a = \(key)")
                let real: Double = try row["real"]
                #expect(real == Double(key) + 0.5)
                let (name, count, missing) = (row.name(at: 0), row.count, try? row.integer(at: 5))
                #expect(name == "real")
                #expect(count == 5)
                #expect(missing == nil)
                rows.append(try (0..<row.count).map { try row.value(at: $0) })
            }
            let expected: [[SQLValue]] = (1...3).map { key in
                [.real(Double(key) + 0.5), .integer(Int64(key)), .text("t\(key)"), .blob([UInt8(key), 0]), .null]
            }
            #expect(rows == expected)
            #expect(try db.value("SELECT count(*) FROM cell WHERE r > 100", as: Int.self) == 3)
        }
    }

    @Test func eachOfTwoLoopsMeetsTheRowsThatThereWereAtItsBeginning() async throws {
        try await store.write { db in
            var (outer, inner) = (0, 0)
            try Ix.order { $0.n.ascending }.forEach(in: db) { row in
                outer += 1
                guard outer <= 5 else { throw Endless() }
                let before = try Ix.count(in: db)
                var met = 0
                try Ix.query.forEach(in: db) { other in
                    met += 1
                    guard met <= before else { throw Endless() }
                    if other.id == row.id { try Ix.insert(Ix(n: row.n + 50), in: db) }
                }
                #expect(met == before)
                inner += met
            }
            #expect(outer == 5)
            #expect(inner == 5 + 6 + 7 + 8 + 9)
        }
    }

    @Test func aValueThatWasOpenedBeforeTheLoopIsWrittenBehindIt() async throws {
        try await store.write { db in
            try db.createTable(Part.schema)
            for byte: UInt8 in 1...3 { try Part.insert(Part(content: [byte]), in: db) }
            var met: [[UInt8]] = []
            try Part.writeBlob(\.content, of: 3, in: db) { blob in
                try Part.order { $0.id.ascending }.forEach(in: db) { part in
                    met.append(part.content)
                    if met.count == 1 { try blob.write([9], at: 0) }
                }
            }
            #expect(met == [[1], [2], [3]])
            #expect(try Part.find(3, in: db)?.content == [9])
        }
    }

    /// The row's index in the query is that of another row by then.
    @Test func aWrongValueAfterAWriteNamesNoOtherRow() async throws {
        try await store.write { db throws in
            try db.execute("UPDATE ix SET text = x'00' WHERE n = 3")
            var met = 0
            let error = try expectFailure(.typeMismatch) {
                try Ix.order { $0.n.ascending }.forEach(in: db) { row in
                    met += 1
                    var row = row
                    row.n += 100
                    try Ix.update(row, in: db)
                }
            }
            #expect(met == 2)
            #expect(error.mismatch?.table == "ix" && error.mismatch?.column == "text")
            #expect(error.mismatch?.rowID == nil)
        }
    }
}
