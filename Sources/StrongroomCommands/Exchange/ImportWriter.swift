import Strongroom

/// Writes lines into a table, in a transaction.
struct ImportWriter {
    /// Why a line cannot be written.
    struct LineFault: Error {
        let words: String
    }

    let target: ImportTarget
    /// The columns of the fields, when all lines have the same.
    var header: [ImportColumn] = []

    init(target: ImportTarget) {
        self.target = target
    }

    /// Writes a line.
    ///
    /// - Returns: True for a row that was added, false for one that was changed.
    /// - Throws: ``LineFault`` for a line that cannot be written; what ends the transaction.
    func write(_ content: ImportLines.Content, _ db: borrowing WriteTransaction) throws -> Bool {
        let (columns, values) = try converted(content)
        do {
            return try write(columns, values, db)
        } catch let error as StrongroomError where Self.codesOfOneRow.contains(error.code) {
            throw LineFault(words: error.message)
        }
    }

    /// The failures that undo their statement alone.
    private static let codesOfOneRow: Set<StrongroomError.Code> = [
        .constraint, .typeMismatch, .valueNotStorable, .limit,
    ]

    private func converted(_ content: ImportLines.Content) throws -> ([ImportColumn], [Value]) {
        do {
            switch content {
            case .fault(let words): throw LineFault(words: words)
            case .fields(let fields):
                return (header, try zip(header, fields).map { try $0.value($1) })
            case .members(let members):
                guard !members.isEmpty else { throw LineFault(words: "the object is empty") }
                let columns = try target.columns(named: members.map(\.name))
                return (columns, try zip(columns, members).map { try $0.value($1.member) })
            }
        } catch let fault as ImportColumn.Fault {
            throw LineFault(words: fault.words)
        } catch let failure as CommandFailure {
            throw LineFault(words: failure.message)
        }
    }

    private func write(
        _ columns: [ImportColumn], _ values: [Value], _ db: borrowing WriteTransaction
    ) throws -> Bool {
        if let key = target.key, let place = columns.firstIndex(of: key) {
            guard values[place] != .null else {
                throw LineFault(words: "column «\(key.name)» is to find the row, and is NULL")
            }
            let changed = try db.execute(update(columns, values, keyPlace: place))
            if changed > 0 { return false }
        }
        try db.execute(insert(columns, values))
        return true
    }

    private func insert(_ columns: [ImportColumn], _ values: [Value]) -> SQL {
        var sql = SQL.Interpolation(literalCapacity: 0, interpolationCount: 0)
        sql.appendLiteral("INSERT INTO ")
        sql.appendInterpolation(name: target.table)
        for (place, column) in columns.enumerated() {
            sql.appendLiteral(place == 0 ? " (" : ", ")
            sql.appendInterpolation(name: column.name)
        }
        for (place, value) in values.enumerated() {
            sql.appendLiteral(place == 0 ? ") VALUES (" : ", ")
            sql.appendInterpolation(value)
        }
        sql.appendLiteral(")")
        return SQL(stringInterpolation: sql)
    }

    private func update(_ columns: [ImportColumn], _ values: [Value], keyPlace: Int) -> SQL {
        var sql = SQL.Interpolation(literalCapacity: 0, interpolationCount: 0)
        sql.appendLiteral("UPDATE ")
        sql.appendInterpolation(name: target.table)
        // With the key alone the row is to stay as it is, and to be found all the same.
        let changed = columns.count == 1 ? [keyPlace] : columns.indices.filter { $0 != keyPlace }
        for (count, place) in changed.enumerated() {
            sql.appendLiteral(count == 0 ? " SET " : ", ")
            sql.appendInterpolation(name: columns[place].name)
            sql.appendLiteral(" = ")
            sql.appendInterpolation(values[place])
        }
        sql.appendLiteral(" WHERE ")
        sql.appendInterpolation(name: columns[keyPlace].name)
        sql.appendLiteral(" = ")
        sql.appendInterpolation(values[keyPlace])
        if let collation = target.keyCollation {
            sql.appendLiteral(" COLLATE ")
            sql.appendInterpolation(name: collation.name)
        }
        return SQL(stringInterpolation: sql)
    }
}
