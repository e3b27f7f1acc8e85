/// The full-text indexes of a file that is salvaged: they are created anew from the salvaged rows, and none of their
/// pages is read.
struct FullTextSalvage {
    let indexes: [StoredFullText]
    /// The schema without the indexes.
    let others: [SchemaRoot]

    init(_ roots: [SchemaRoot]) {
        let entries = roots.compactMap { root in
            SchemaEntry.Kind(rawValue: root.kind).flatMap { kind in
                root.sql.map { SchemaEntry(kind: kind, name: root.name, table: root.table, sql: $0) }
            }
        }
        let indexes = StoredFullText.all(in: entries)
        let own = Set(indexes.flatMap(\.allNames).map { SQLName($0) })
        self.indexes = indexes
        others = roots.filter { !own.contains(SQLName($0.name)) && !own.contains(SQLName($0.table)) }
    }

    func create(_ index: StoredFullText, _ target: Connection) throws {
        let made = try FullTextTable(index, target, target.schemaEntries())
        for sql in made.creation { try target.run(sql) }
        try target.fill(made)
        for sql in made.triggers { try target.run(sql) }
    }
}

extension StoredFullText {
    /// The names of the index's tables, of its view and of its triggers. See "FTS3 and FTS4 Extensions", section 9
    /// (sqlite.org/fts3.html), and "FTS5 Extension", section 9 (sqlite.org/fts5.html), for the engine's own.
    fileprivate var allNames: [String] {
        let engine = ["data", "idx", "content", "docsize", "config", "segments", "segdir", "stat"]
        return [name] + (["pending", "keys", "rows"] + engine).map { "\(name)_\($0)" }
            + FullTextTable.triggerNames(name)
    }
}
