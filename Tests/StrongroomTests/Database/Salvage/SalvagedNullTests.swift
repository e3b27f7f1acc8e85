import Foundation
// Internal: the size of a page, which depends on the engine.
@testable import Strongroom
import StrongroomTesting
import Testing

/// Each row that is found by its page is inserted by the same statement.
@Suite("Values of rows that are found by their pages", .ending)
struct SalvagedNullTests {
    /// Every kind of value, each followed by NULL in the same column.
    private static let values: [SQLValue] = [
        .text("secret"), .null, .integer(7), .null, .real(2.5), .null, .blob([1, 2]), .null, .text(""), .null,
    ]

    @Test func nullStaysNullAfterAnyValue() async throws {
        let directory = try TemporaryDirectory()
        let vault = Vault(directory.path("source"), keys: .numbered(1)).with(\.migrator, nil)
        try await vault.write { db in
            try db.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, x)")
            for number in 1...1_000 {
                let value = Self.values[number % Self.values.count]
                try db.execute("INSERT INTO t VALUES (\(number), \("text \(number)"), \(value))")
            }
        }
        // The root of the table, so that its leaves are found without it.
        let layout = try CipherSettings.engineDefault().layout
        var bytes = try Data(contentsOf: URL(filePath: vault.path))
        bytes[layout.pageSize + layout.pageSize / 2] ^= 0xFF
        try bytes.write(to: URL(filePath: vault.path))
        let path = directory.path("rescued/vault.sqlite")
        try FileManager.default.createDirectory(atPath: directory.path("rescued"), withIntermediateDirectories: true)
        let report = try await Stores(vault).salvage("vault.sqlite", to: path)
        #expect(report.tables.first { $0.name == "t" }?.rowsFound ?? 0 > 0, "\(report)")
        let rescued = Vault(directory.path("rescued"), keys: .numbered(1)).with(\.migrator, nil)
        try await rescued.using { store in
            let rows = try await store.read { db in
                var rows: [Int: SQLValue] = [:]
                try db.forEachRow("SELECT id, x FROM t") { rows[try $0[0]] = try $0.value(at: 1) }
                return rows
            }
            #expect(rows.count > 900)
            let wrong = rows.filter { $0.value != Self.values[$0.key % Self.values.count] }
            #expect(wrong.isEmpty, "\(wrong.count) of \(rows.count)")
        }
    }
}
