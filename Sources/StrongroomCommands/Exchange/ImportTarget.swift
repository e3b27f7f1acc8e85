import Strongroom

/// The table that is imported into.
struct ImportTarget {
    let table: String
    let columns: [ImportColumn]
    /// The column by which rows are found; nil when each line is a new row.
    let key: ImportColumn?

    /// Looks at the table.
    ///
    /// - Throws: ``CommandFailure`` for a table that is not there, and for a key that is no column or not unique.
    init(_ table: String, upsertBy key: String?, _ db: borrowing some Reading & ~Copyable) throws {
        let tables = try db.tableNames()
        guard let found = tables.first(where: { Self.areSame($0, table) }) else {
            throw CommandFailure(
                "noSuchTable",
                "There is no table «\(table)». The tables are: \(tables.joined(separator: ", ")).", .usage)
        }
        self.table = found
        let infos = try db.columns(of: found)
        columns = infos.filter { $0.generated == nil && !$0.isHidden }.map { ImportColumn($0) }
        guard let key else {
            self.key = nil
            return
        }
        guard let column = columns.first(where: { Self.areSame($0.name, key) }) else {
            throw Self.noSuchColumn(key, found, columns)
        }
        let isKey = infos.filter { $0.keyPlace != nil }.map(\.name) == [column.name]
        let isUnique = try db.indexes(of: found).contains { index in
            index.isUnique && !index.isPartial && index.parts.map(\.column) == [column.name]
        }
        guard isKey || isUnique else {
            throw CommandFailure(
                "notUnique",
                "The column «\(column.name)» is not unique by itself, so it cannot tell which row a line means. Give a unique one.",
                .usage)
        }
        self.key = column
    }

    /// The columns of some names, each once.
    func columns(named names: [String]) throws -> [ImportColumn] {
        var found: [ImportColumn] = []
        for name in names {
            guard let column = columns.first(where: { Self.areSame($0.name, name) }) else {
                throw Self.noSuchColumn(name, table, columns)
            }
            guard !found.contains(column) else {
                throw CommandFailure("twoColumnsOfOneName", "The column «\(column.name)» is named twice.", .dataError)
            }
            found.append(column)
        }
        if let key, !found.contains(key) {
            throw CommandFailure(
                "missingKey", "The column «\(key.name)» is missing, by which rows are to be found.", .dataError)
        }
        return found
    }

    /// Whether the engine takes two names for one.
    private static func areSame(_ first: String, _ second: String) -> Bool {
        first.utf8.elementsEqual(second.utf8) { folded($0) == folded($1) }
    }

    private static func folded(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    private static func noSuchColumn(_ name: String, _ table: String, _ columns: [ImportColumn]) -> CommandFailure {
        CommandFailure(
            "noSuchColumn",
            """
            The table «\(table)» has no column «\(name)» that can be written. It has: \
            \(columns.map(\.name).joined(separator: ", ")).
            """, .dataError)
    }
}
