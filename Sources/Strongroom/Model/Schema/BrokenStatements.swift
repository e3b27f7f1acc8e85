/// The views and triggers that the engine cannot use, determined by preparing statements that read or fire them.
struct BrokenStatements {
    /// The broken views and triggers, each with the engine's message, in the order of the schema.
    let all: [(entry: SchemaEntry, words: String)]

    /// Checks the views and triggers of a schema.
    init(_ connection: Connection, _ entries: [SchemaEntry]) {
        all =
            entries.filter { $0.kind == .view }.compactMap { view in
                connection.objection(to: "EXPLAIN SELECT * FROM \(Identifier.quote(view.name))").map { (view, $0) }
            }
            + entries.filter { $0.kind == .trigger }.compactMap { trigger in
                connection.objection(to: connection.firing(trigger)).map { (trigger, $0) }
            }
    }

    /// Those that were not broken before. They are identified by name, because their text contains columns, which may
    /// have been renamed.
    func since(_ before: BrokenStatements) -> [(entry: SchemaEntry, words: String)] {
        let known = Set(before.all.map { SQLName($0.entry.title) })
        return all.filter { !known.contains(SQLName($0.entry.title)) }
    }
}

extension Connection {
    /// The broken views and triggers of the current schema.
    func brokenStatements() throws -> BrokenStatements { BrokenStatements(self, try schemaEntries()) }

    /// A statement that fires a trigger; a trigger on a view can only be checked this way.
    fileprivate func firing(_ trigger: SchemaEntry) -> String {
        let table = Identifier.quote(trigger.table)
        let event = [SQLToken](sql: trigger.sql).first { $0.isWord("DELETE", "INSERT", "UPDATE") }?.text.uppercased()
        switch event {
        case "DELETE": return "EXPLAIN DELETE FROM \(table)"
        case "INSERT": return "EXPLAIN INSERT INTO \(table) DEFAULT VALUES"
        default:
            let columns = (try? columnInfos(of: trigger.table).filter { $0.generated == nil }) ?? []
            let assignments = columns.map { "\(Identifier.quote($0.name)) = \(Identifier.quote($0.name))" }
            return "EXPLAIN UPDATE \(table) SET \(assignments.joined(separator: ", "))"
        }
    }
}
