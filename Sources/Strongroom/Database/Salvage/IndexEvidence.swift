/// Determines from intact indexes whether rows belong to a table.
struct IndexEvidence {
    enum Answer {
        /// Each of the rows is in an index of the table.
        case present
        /// None of the rows is, although the table has an index of all its rows.
        case absent
        /// The table has no usable index, or the index contains some of the rows.
        case unknown
    }

    private let connection: Connection
    private let survey: TreeSurvey
    private let encoding: EncodedText.Encoding

    init(_ connection: Connection, survey: TreeSurvey, encoding: EncodedText.Encoding) {
        self.connection = connection
        self.survey = survey
        self.encoding = encoding
    }

    /// Looks up rows in the indexes of a table.
    ///
    /// - Parameter rows: Row ids and the first bytes of the records.
    func answer(of table: String, to rows: [(id: Int64, record: WipedBytes)]) throws -> Answer {
        guard !rows.isEmpty else { return .unknown }
        let whole = Set(survey.trees.filter { $0.gaps.isEmpty && $0.root.kind == "index" }.map(\.root.name))
        let columns = try connection.columnInfos(of: table)
        let stored = StoredColumns(columns, hasRowIDs: true)
        // A record contains NULL in place of a column that is an alias of the row id.
        let alias = try connection.rowIDColumn(of: table, columns)
        guard let rowID = columns.freeRowIDName else { return .unknown }
        for index in try connection.indexFacts(of: table) where !index.isPartial && whole.contains(index.name) {
            let keys = try connection.indexColumns(of: index.name).filter(\.isKey)
            guard let key = keys.first, keys.allSatisfy({ $0.column >= 0 }), let name = key.name, key.column != alias,
                let position = stored.indices.firstIndex(of: key.column)
            else { continue }
            let query = """
                SELECT 1 FROM \(Identifier.quote(table)) INDEXED BY \(Identifier.quote(index.name)) \
                WHERE \(Identifier.quote(name)) IS ? AND \(rowID) = ?
                """
            if let answer = try lookUp(query, rows, position) { return answer }
        }
        return .unknown
    }

    /// - Returns: Nil if this index cannot be used.
    private func lookUp(_ query: String, _ rows: [(id: Int64, record: WipedBytes)], _ position: Int) throws -> Answer? {
        guard connection.objection(to: query) == nil else { return nil }
        var (found, examined) = (0, 0)
        for row in rows {
            // The first bytes of the record need not contain the value, and a row older than the column has none.
            guard let fields = RecordFields(row.record, count: position + 1, encoding: encoding)?.fields else {
                continue
            }
            examined += 1
            do {
                found += try connection.withOwnStatement(query) { statement in
                    try statement.bind(fields[position], at: 0)
                    try Bindings(statement).bind(.integer(row.id), at: 1)
                    return try statement.step() ? 1 : 0
                }
            } catch let error as StrongroomError where error.isDamage {
                return nil
            }
        }
        guard examined > 0 else { return nil }
        return found == examined ? .present : found == 0 ? .absent : .unknown
    }
}
