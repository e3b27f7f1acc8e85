/// The properties of an index, as reported by the engine.
struct IndexFacts {
    let name: String
    /// Whether it is a partial index.
    let isPartial: Bool
    /// Whether the primary key created it.
    let isPrimaryKey: Bool
}

extension Connection {
    /// The indexes of a table.
    func indexFacts(of table: String) throws -> [IndexFacts] {
        var facts: [IndexFacts] = []
        try withOwnStatement("PRAGMA index_list(\(Identifier.quote(table)))") { statement in
            let row = Row(statement)
            while try statement.step() {
                facts.append(
                    IndexFacts(
                        name: try row.text(at: 1), isPartial: try row.integer(at: 4) != 0,
                        isPrimaryKey: try row.text(at: 3) == "pk"))
            }
        }
        return facts
    }
}
