import Strongroom

/// The table that receives imported rows.
struct ImportTarget {
    let table: String
    /// The writable columns.
    let columns: [ImportColumn]
    /// The names of the generated columns.
    let generated: [String]
    /// The column that identifies existing rows; nil if each line is a new row.
    let key: ImportColumn?
    /// The collation of the key's index; nil for the row id, which has none.
    let keyCollation: Collation?

    /// Examines the table.
    ///
    /// - Throws: ``CommandFailure`` if the table does not exist, or the key is not a column or not unique.
    init(_ table: String, upsertBy key: String?, in db: borrowing some Reading & ~Copyable) throws {
        let tables = try db.tableNames()
        guard let found = tables.first(where: { Self.areSame($0, table) }) else {
            throw CommandFailure(
                "noSuchTable",
                "There is no table \"\(table)\". The tables are: \(tables.joined(separator: ", ")).", .usage)
        }
        self.table = found
        let infos = try db.columns(of: found)
        columns = infos.filter { $0.generated == nil && !$0.isHidden }.map { ImportColumn($0) }
        generated = infos.filter { $0.generated != nil }.map(\.name)
        guard let key else {
            self.key = nil
            keyCollation = nil
            return
        }
        guard let column = columns.first(where: { Self.areSame($0.name, key) }) else {
            throw Self.noSuchColumn(key, found, columns)
        }
        let isKey = infos.filter { $0.keyPosition != nil }.map(\.name) == [column.name]
        let unique = try db.indexes(of: found).filter { index in
            index.isUnique && !index.isPartial && index.parts.map(\.column) == [column.name]
        }
        guard isKey || !unique.isEmpty else {
            throw CommandFailure(
                "notUnique",
                """
                The column "\(column.name)" is not unique by itself, so it cannot identify the row of a line. Use a \
                unique one.
                """,
                .usage)
        }
        self.key = column
        // The index may distinguish texts that the column treats as equal.
        keyCollation = (unique.first { !$0.isExplicit } ?? unique.first)?.parts.first?.collation
    }

    /// The columns with the given names, without duplicates; nil for a generated one, which is skipped.
    ///
    /// - Parameter isHeader: Whether the names are from a header. Without a header these may be data, or a key, so
    ///   messages do not contain them.
    func columns(named names: [String], isHeader: Bool = false) throws -> [ImportColumn?] {
        var found: [ImportColumn?] = []
        for (index, name) in names.enumerated() {
            guard !generated.contains(where: { Self.areSame($0, name) }) else {
                found.append(nil)
                continue
            }
            guard let column = columns.first(where: { Self.areSame($0.name, name) }) else {
                throw isHeader
                    ? Self.noColumn("Field \(index + 1) of the first line names no column", table, columns)
                    : Self.noSuchColumn(name, table, columns)
            }
            guard !found.contains(column) else {
                throw CommandFailure("twoColumnsOfOneName", "The column \"\(column.name)\" is named twice.", .dataError)
            }
            found.append(column)
        }
        if let key, !found.contains(key) {
            throw CommandFailure(
                "missingKey", "The column \"\(key.name)\", which identifies the rows, is missing.", .dataError)
        }
        guard found.contains(where: { $0 != nil }) else {
            throw Self.noColumn("No name is that of a column", table, columns)
        }
        return found
    }

    /// Whether the engine treats two names as equal.
    private static func areSame(_ first: String, _ second: String) -> Bool {
        first.utf8.elementsEqual(second.utf8) { folded($0) == folded($1) }
    }

    private static func folded(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    private static func noSuchColumn(_ name: String, _ table: String, _ columns: [ImportColumn]) -> CommandFailure {
        noColumn("There is no column \"\(name)\"", table, columns)
    }

    private static func noColumn(_ what: String, _ table: String, _ columns: [ImportColumn]) -> CommandFailure {
        CommandFailure(
            "noSuchColumn",
            """
            \(what) of the table "\(table)" that can be written. It has: \(columns.map(\.name).joined(separator: ", ")).
            """, .dataError)
    }
}
