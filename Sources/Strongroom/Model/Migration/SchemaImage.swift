/// A schema at one time, to determine the changes of a migration.
struct SchemaImage {
    /// Tables, indexes, triggers and views by kind and name, without the internal ones of the library and the engine.
    private let entries: [SQLName: SchemaEntry]
    private let columns: [SQLName: [ColumnInfo]]

    /// Reads the schema inside a transaction.
    init(_ connection: Connection) throws {
        var entries: [SQLName: SchemaEntry] = [:]
        var columns: [SQLName: [ColumnInfo]] = [:]
        for entry in try connection.schemaEntries() {
            let name = entry.name.asciiFolded
            guard !name.hasPrefix("sqlite_"), !name.hasPrefix("strongroom_") else { continue }
            let title = SQLName(entry.title)
            entries[title] = entry
            if entry.kind == .table { columns[title] = try connection.columnInfos(of: entry.name) }
        }
        self.entries = entries
        self.columns = columns
    }

    /// Descriptions of the differences to a later schema, in alphabetical order.
    func changes(to later: SchemaImage) -> [String] {
        let all = entries.merging(later.entries) { old, _ in old }.sorted { $0.value.title < $1.value.title }
        return all.map(\.key).flatMap { key -> [String] in
            switch (entries[key], later.entries[key]) {
            case (let old?, nil): return ["\(old.title) removed"]
            case (nil, let new?): return ["\(new.title) added"]
            case (let old?, let new?):
                let columns = Self.changes(self.columns[key] ?? [], later.columns[key] ?? [], new.title)
                let isSame = [SQLToken].normalised(old.sql) == [SQLToken].normalised(new.sql)
                return columns.isEmpty && !isSame ? ["\(new.title) changed"] : columns
            case (nil, nil): return []
            }
        }
    }

    private static func changes(_ old: [ColumnInfo], _ new: [ColumnInfo], _ table: String) -> [String] {
        let names =
            old.map(\.name) + new.map(\.name).filter { name in !old.contains { Identifier.areSame($0.name, name) } }
        return names.compactMap { name in
            switch (old.first { Identifier.areSame($0.name, name) }, new.first { Identifier.areSame($0.name, name) }) {
            case (_?, nil): "\(table): column \"\(name)\" removed"
            case (nil, _?): "\(table): column \"\(name)\" added"
            case (let old?, let new?): old == new ? nil : "\(table): column \"\(name)\" changed"
            case (nil, nil): nil
            }
        }
    }
}
