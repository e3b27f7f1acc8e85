import Strongroom

extension TableContent {
    /// Rows or values that a migration has lost.
    struct Loss: Sendable {
        let table: String
        /// The column, by its name before the migration; nil if rows were lost.
        let column: String?
        /// The text for messages.
        let text: String
        /// Whether the column is gone, or computed from others.
        var isRemoval = false
    }

    /// The rows and values of this file that a migrated one does not have.
    ///
    /// - Parameters:
    ///   - after: The rows of the migrated file.
    ///   - tables: The tables that the file was migrated to, which name the previous columns.
    func losses(in after: TableContent, migratedTo tables: [TableSchema]) -> [Loss] {
        self.tables.keys.sorted().flatMap { name -> [Loss] in
            guard let before = self.tables[name] else { return [] }
            guard let after = after.tables.first(where: { Self.areSame($0.key, name) })?.value else {
                return [Loss(table: name, column: nil, text: "table \"\(name)\" is missing from the migrated file")]
            }
            guard before.rows.count == after.rows.count else {
                let count = before.rows.count.counting("row")
                let text = "table \"\(name)\" has \(count) before and \(after.rows.count) after"
                return [Loss(table: name, column: nil, text: text)]
            }
            let schema = tables.first { Self.areSame($0.name, name) }
            let renamed = Self.renamedColumns(before.columns, schema)
            return before.infos.indices.compactMap { index in
                Self.loss(ofColumn: index, of: name, before, after, renamed)
            }
        }
    }

    private static func areSame(_ first: String, _ second: String) -> Bool { first.asciiFolded == second.asciiFolded }

    private static func loss(
        ofColumn index: Int, of table: String, _ before: Rows, _ after: Rows, _ renamed: [String: String]
    ) -> Loss? {
        let info = before.infos[index]
        // Its values are computed from those of others.
        guard info.generated == nil else { return nil }
        let name = renamed[info.name.asciiFolded] ?? info.name
        let title = "column \"\(table).\(info.name)\""
        guard let position = after.columns.firstIndex(where: { areSame($0, name) }) else {
            return Loss(table: table, column: info.name, text: "\(title) is removed with its values", isRemoval: true)
        }
        let comparison = ValueComparison(info, after.infos[position])
        let isKept = zip(before.rows, after.rows).allSatisfy { comparison.isKept($0[index], as: $1[position]) }
        guard !isKept else { return nil }
        return Loss(
            table: table, column: info.name, text: "\(title) has other values than before",
            isRemoval: after.infos[position].generated != nil)
    }

    /// The new names of the columns that take over the values of a previous one, by their previous names in lower case.
    private static func renamedColumns(_ columns: [String], _ schema: TableSchema?) -> [String: String] {
        var taken = Set(columns.map(\.asciiFolded))
        let declared = schema?.columns ?? []
        var waiting = declared.filter { column in
            guard let old = column.previousName, !areSame(old, column.name), taken.contains(old.asciiFolded) else {
                return false
            }
            // A file with both, of which both are declared, has two columns that have nothing to do with each other.
            return !taken.contains(column.name.asciiFolded)
                || !declared.contains { areSame($0.name, old) && $0.previousName == nil }
        }
        var renamed: [String: String] = [:]
        while let index = waiting.firstIndex(where: { !taken.contains($0.name.asciiFolded) }) {
            let column = waiting.remove(at: index)
            guard let old = column.previousName else { continue }
            taken.remove(old.asciiFolded)
            taken.insert(column.name.asciiFolded)
            renamed[old.asciiFolded] = column.name
        }
        return renamed
    }
}

/// Compares the values of a column before and after a migration.
private struct ValueComparison {
    private let isRetyped: Bool
    private let hasDecimals: Bool
    private let fillsNulls: Bool

    init(_ before: ColumnInfo, _ after: ColumnInfo) {
        let types = (before.declaredType.asciiFolded, after.declaredType.asciiFolded)
        isRetyped = types.0 != types.1
        hasDecimals = isRetyped && (types.0.contains("decimal") || types.1.contains("decimal"))
        fillsNulls = before.isNullable && !after.isNullable
    }

    /// Whether a value is still there, possibly converted.
    func isKept(_ before: SQLValue, as after: SQLValue) -> Bool {
        if before == after { return true }
        if before == .null { return fillsNulls }
        guard isRetyped, after != .null else { return false }
        // They have several forms, of which the planting knows the right one.
        return hasDecimals || Self.text(before) == Self.text(after)
    }

    private static func text(_ value: SQLValue) -> String? {
        switch value {
        case .null: nil
        case .integer(let number): Double(exactly: number).map { "\($0)" } ?? "\(number)"
        case .real(let number): "\(number)"
        case .text(let text): Double(text).map { "\($0)" } ?? text
        case .blob(let bytes): String(decoding: bytes, as: UTF8.self)
        }
    }
}
