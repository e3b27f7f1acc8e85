import Strongroom
import TestData

/// Rows of more and more columns: a third each are integers, reals and texts of 16 bytes.
///
/// A table of a Swift type has fixed columns, so the table and its rows are created by SQL; the statements and their
/// values are prepared before the clock starts.
struct ColumnsCurve {
    private static let widths = [3, 6, 12, 30, 60]
    private static let rows = 20_000
    private static let text = "sixteen letters."

    let place: GrowthPlace

    func points() async throws -> [SeriesPoint] {
        var points: [SeriesPoint] = []
        for width in Self.widths {
            var (inserts, reads): ([Double], [Double]) = ([], [])
            for _ in 1...3 {
                let store = try await place.open()
                inserts.append(try await insert(width, store).rate(of: Self.rows))
                reads.append(try await read(width, store).rate(of: Self.rows))
                try await store.close()
                try place.remove()
            }
            for (name, rate) in [("insert", Measure.median(inserts)), ("read", Measure.median(reads))] {
                points.append(Curve.columns.point("\(name), rows", width, rate, "rows/s"))
                points.append(Curve.columns.point("\(name), values", width, rate * Double(width), "values/s"))
            }
        }
        return points
    }

    private func insert(_ width: Int, _ store: Store) async throws -> Duration {
        let types = ["INTEGER", "REAL", "TEXT"]
        let columns = (0..<width).map { "c\($0) \(types[$0 % types.count]) NOT NULL" }.joined(separator: ", ")
        try await store.write { db in try db.execute(SQL(stringLiteral: "CREATE TABLE wide (\(columns))")) }
        let statements = (0..<Self.rows).map { Self.insertion(of: $0, width) }
        let duration = try await ContinuousClock().measure {
            try await store.write { db in for statement in statements { try db.execute(statement) } }
        }
        try await store.waitForCheckpoint()
        return duration
    }

    /// As the compiler makes it of a literal with interpolated values.
    private static func insertion(of row: Int, _ width: Int) -> SQL {
        var sql = SQL.Interpolation(literalCapacity: 0, interpolationCount: width)
        sql.appendLiteral("INSERT INTO wide VALUES (")
        for column in 0..<width {
            if column > 0 { sql.appendLiteral(", ") }
            switch column % 3 {
            case 0: sql.appendInterpolation(row)
            case 1: sql.appendInterpolation(Double(row) / 7)
            default: sql.appendInterpolation(text)
            }
        }
        sql.appendLiteral(")")
        return SQL(stringInterpolation: sql)
    }

    private func read(_ width: Int, _ store: Store) async throws -> Duration {
        var found = Summary()
        let duration = try await ContinuousClock().measure {
            found = try await store.read { db in
                var found = Summary()
                try db.forEachRow("SELECT * FROM wide") { row in
                    found.rows += 1
                    for column in stride(from: 0, to: width, by: 3) {
                        let number: Int64 = try row[column]
                        let _: Double = try row[column + 1]
                        let text: String = try row[column + 2]
                        found.sum += number + Int64(text.utf8.count)
                    }
                }
                return found
            }
        }
        let sum = Self.rows * (Self.rows - 1) / 2 + Self.rows * Self.text.utf8.count
        try found.check(Summary(rows: Int64(Self.rows), sum: Int64(sum * width / 3)))
        return duration
    }
}
