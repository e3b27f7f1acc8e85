import Strongroom

/// Writes lines into a table, in a transaction.
struct ImportWriter {
    /// Why a line cannot be written.
    struct LineFault: Error {
        let words: String
    }

    /// The engine has undone the whole transaction, as a rule of the table with ON CONFLICT ROLLBACK has it.
    struct Undone: Error {
        let words: String
    }

    /// What became of a line.
    enum Effect {
        case inserted, updated
        /// The table passes over the row, as a rule with ON CONFLICT IGNORE has it.
        case unchanged
    }

    let target: ImportTarget
    /// The columns of the fields, when all lines have the same; nil for one that is passed over.
    var header: [ImportColumn?] = []

    init(target: ImportTarget) {
        self.target = target
    }

    /// Writes a line.
    ///
    /// - Throws: ``LineFault`` for a line that cannot be written; ``Undone``; what ends the transaction.
    func write(_ content: ImportLines.Content, in db: borrowing WriteTransaction) throws -> Effect {
        let (columns, values) = try converted(content)
        do {
            return try write(columns, values, in: db)
        } catch let error as StrongroomError where Self.codesOfOneRow.contains(error.code) {
            guard Self.isOpen(db) else { throw Undone(words: error.message) }
            throw LineFault(words: error.message)
        }
    }

    /// Whether the transaction goes on.
    private static func isOpen(_ db: borrowing WriteTransaction) -> Bool {
        do {
            _ = try db.value("SELECT 1", as: Int.self)
        } catch let error as StrongroomError where error.code == .transactionEnded {
            return false
        } catch {
            // What comes next tells it.
        }
        return true
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
                return (header.compactMap(\.self), try zip(header, fields).compactMap { try $0?.value($1) })
            case .members(let members):
                guard !members.isEmpty else { throw LineFault(words: "the object is empty") }
                let columns = try target.columns(named: members.map(\.name))
                return (columns.compactMap(\.self), try zip(columns, members).compactMap { try $0?.value($1.member) })
            }
        } catch let fault as ImportColumn.Fault {
            throw LineFault(words: fault.words)
        } catch let failure as CommandFailure {
            throw LineFault(words: failure.message)
        }
    }

    private func write(
        _ columns: [ImportColumn], _ values: [Value], in db: borrowing WriteTransaction
    ) throws -> Effect {
        if let key = target.key, let place = columns.firstIndex(of: key) {
            guard values[place] != .null else {
                throw LineFault(words: "column \"\(key.name)\" is to find the row, and is NULL")
            }
            let changed = try db.execute(update(columns, values, keyPlace: place))
            if changed > 0 { return .updated }
            do {
                return try add(columns, values, in: db)
            } catch let error as StrongroomError where error.code == .constraint {
                // The row may be there, and a rule of the table passes over its update.
                guard Self.isOpen(db), try db.value(search(key, values[place]), as: Int.self) != nil else {
                    throw error
                }
                return .unchanged
            }
        }
        return try add(columns, values, in: db)
    }

    private func add(_ columns: [ImportColumn], _ values: [Value], in db: borrowing WriteTransaction) throws -> Effect {
        try db.execute(insert(columns, values)) > 0 ? .inserted : .unchanged
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
        append(columns[keyPlace], values[keyPlace], to: &sql)
        return SQL(stringInterpolation: sql)
    }

    /// Finds the row that a line is for.
    private func search(_ key: ImportColumn, _ value: Value) -> SQL {
        var sql = SQL.Interpolation(literalCapacity: 0, interpolationCount: 0)
        sql.appendLiteral("SELECT 1 FROM ")
        sql.appendInterpolation(name: target.table)
        append(key, value, to: &sql)
        return SQL(stringInterpolation: sql)
    }

    private func append(_ key: ImportColumn, _ value: Value, to sql: inout SQL.Interpolation) {
        sql.appendLiteral(" WHERE ")
        sql.appendInterpolation(name: key.name)
        sql.appendLiteral(" = ")
        sql.appendInterpolation(value)
        if let collation = target.keyCollation {
            sql.appendLiteral(" COLLATE ")
            sql.appendInterpolation(name: collation.name)
        }
    }
}
