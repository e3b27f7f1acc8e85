import Strongroom
import StrongroomTesting
import Testing

/// Its queries return the columns in another order.
private struct Cells: Record {
    let integer: Int64?
    let real: Double?
    let text: String?
    let bytes: [UInt8]?

    static let columnNames = ["i", "r", "t", "b"]

    init(row: borrowing Row) throws {
        integer = try row.integerIfPresent(at: 0)
        real = try row.realIfPresent(at: 1)
        text = try row.textIfPresent(at: 2)
        bytes = try row.blobIfPresent(at: 3)
    }

    func encode(to bindings: borrowing Bindings) throws {}
}

/// Reads the values of a row that a query returns, one by one.
struct ValuesIfPresentTests {
    private func withRow(_ sql: SQL, _ body: @escaping @Sendable (borrowing Row) throws -> Void) async throws {
        let rows = try await TemporaryStore().store.read { db in
            var rows = 0
            try db.forEachRow(sql) { row in
                rows += 1
                try body(row)
            }
            return rows
        }
        #expect(rows == 1)
    }

    @Test func aValueIsReadAndNullIsNil() async throws {
        try await withRow("SELECT 7, 2.5, 'x', x'01', '', x'', NULL") { row in
            let integers = try [row.integerIfPresent(at: 0), row.integerIfPresent(at: 6)]
            #expect(integers == [7, nil])
            let reals = try [row.realIfPresent(at: 0), row.realIfPresent(at: 1), row.realIfPresent(at: 6)]
            #expect(reals == [7, 2.5, nil])
            let texts = try [row.textIfPresent(at: 2), row.textIfPresent(at: 4), row.textIfPresent(at: 6)]
            #expect(texts == ["x", "", nil])
            let blobs = try [row.blobIfPresent(at: 3), row.blobIfPresent(at: 5), row.blobIfPresent(at: 6)]
            #expect(blobs == [[1], [], nil])
            let narrow: [UInt8?] = try [row[0], row[6]]
            #expect(narrow == [7, nil])
        }
    }

    @Test func aValueOfAnotherClassIsAMismatch() async throws {
        try await withRow("SELECT 7 AS i, 'x' AS t, 300 AS wide") { row in
            try expectFailure(.typeMismatch) { try row.integerIfPresent(at: 1) }
            try expectFailure(.typeMismatch) { try row.realIfPresent(at: 1) }
            try expectFailure(.typeMismatch) { try row.textIfPresent(at: 0) }
            try expectFailure(.typeMismatch) { try row.blobIfPresent(at: 1) }
            try expectFailure(.typeMismatch) { try row[2] as UInt8? }
        }
    }

    @Test(arguments: [-1, 1, 99, Int(Int32.max), .max, .min])
    func aColumnThatIsNotThereIsAnError(index: Int) async throws {
        try await withRow("SELECT NULL") { row in
            try expectFailure(.invalidArgument) { try row.integerIfPresent(at: index) }
            try expectFailure(.invalidArgument) { try row.realIfPresent(at: index) }
            try expectFailure(.invalidArgument) { try row.textIfPresent(at: index) }
            try expectFailure(.invalidArgument) { try row.blobIfPresent(at: index) }
        }
    }

    @Test func aRecordReadsThemInItsOwnOrder() async throws {
        try await TemporaryStore().store.read { db in
            let full = try #require(try db.fetch(Cells.self, "SELECT x'01' AS b, 'x' AS t, 2.5 AS r, 7 AS i").first)
            #expect(full.integer == 7 && full.real == 2.5 && full.text == "x" && full.bytes == [1])
            let empty = try #require(
                try db.fetch(Cells.self, "SELECT NULL AS b, NULL AS t, NULL AS r, NULL AS i").first)
            #expect(empty.integer == nil && empty.real == nil && empty.text == nil && empty.bytes == nil)
        }
    }
}
