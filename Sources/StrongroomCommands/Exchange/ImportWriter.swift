import Strongroom

/// Writes lines into a table, in a transaction.
struct ImportWriter {
    /// Why a line cannot be written.
    struct LineFault: Error {
        let reason: String
    }

    /// The engine rolled the whole transaction back, as a constraint with ON CONFLICT ROLLBACK does.
    struct Undone: Error {
        let reason: String
    }

    /// The effect of a line.
    enum Effect {
        case inserted, updated
        /// The row was skipped, as a constraint with ON CONFLICT IGNORE does.
        case unchanged
    }

    let target: ImportTarget
    /// The columns of the fields, if all lines have the same; nil for one that is skipped.
    var header: [ImportColumn?] = [] {
        didSet { headerColumns = header.compactMap(\.self) }
    }
    private var headerColumns: [ImportColumn] = []
    /// The text of the last insert, and its columns; most lines have the same.
    private var insert: (columns: [ImportColumn], text: String) = ([], "")

    init(target: ImportTarget) {
        self.target = target
    }

    /// Writes a line.
    ///
    /// - Throws: ``LineFault`` for a line that cannot be written; ``Undone``; errors that end the transaction.
    mutating func write(_ content: ImportLines.Content, in db: borrowing WriteTransaction) throws -> Effect {
        let (columns, values) = try converted(content)
        do {
            return try write(columns, values, in: db)
        } catch let error as StrongroomError where Self.codesOfOneRow.contains(error.code) {
            guard Self.isOpen(db) else { throw Undone(reason: error.message) }
            throw LineFault(reason: error.message)
        }
    }

    /// Whether the transaction is still open.
    private static func isOpen(_ db: borrowing WriteTransaction) -> Bool {
        do {
            _ = try db.value("SELECT 1", as: Int.self)
        } catch let error as StrongroomError where error.code == .transactionEnded {
            return false
        } catch {
            // The next statement reports the error.
        }
        return true
    }

    /// The errors that roll back only their statement.
    private static let codesOfOneRow: Set<StrongroomError.Code> = [
        .constraint, .typeMismatch, .valueNotStorable, .limit,
    ]

    private func converted(_ content: ImportLines.Content) throws -> ([ImportColumn], [SQLValue]) {
        do {
            switch content {
            case .fault(let reason): throw LineFault(reason: reason)
            case .fields(let fields):
                return (headerColumns, try zip(header, fields).compactMap { try $0?.value($1) })
            case .members(let members):
                guard !members.isEmpty else { throw LineFault(reason: "the object is empty") }
                let columns = try target.columns(named: members.map(\.name))
                return (columns.compactMap(\.self), try zip(columns, members).compactMap { try $0?.value($1.member) })
            }
        } catch let fault as ImportColumn.Fault {
            throw LineFault(reason: fault.reason)
        } catch let failure as CommandFailure {
            throw LineFault(reason: failure.message)
        }
    }

    private mutating func write(
        _ columns: [ImportColumn], _ values: [SQLValue], in db: borrowing WriteTransaction
    ) throws -> Effect {
        if let key = target.key, let index = columns.firstIndex(of: key) {
            guard values[index] != .null else {
                throw LineFault(reason: "column \"\(key.name)\" must identify the row, but is NULL")
            }
            let changed = try db.execute(update(columns, values, keyIndex: index))
            if changed > 0 { return .updated }
            do {
                return try add(columns, values, in: db)
            } catch let error as StrongroomError where error.code == .constraint {
                // The row may exist, with a constraint of the table that skips its update.
                guard Self.isOpen(db), try db.value(search(key, values[index]), as: Int.self) != nil else {
                    throw error
                }
                return .unchanged
            }
        }
        return try add(columns, values, in: db)
    }

    private mutating func add(
        _ columns: [ImportColumn], _ values: [SQLValue], in db: borrowing WriteTransaction
    ) throws -> Effect {
        if columns != insert.columns { insert = (columns, insert(columns)) }
        return try db.execute(SQL(verbatim: insert.text, values)) > 0 ? .inserted : .unchanged
    }

    /// The text of the statement, with a placeholder for each column.
    private func insert(_ columns: [ImportColumn]) -> String {
        var sql = SQL.Interpolation(literalCapacity: 0, interpolationCount: 0)
        sql.appendLiteral("INSERT INTO ")
        sql.appendInterpolation(name: target.table)
        for (index, column) in columns.enumerated() {
            sql.appendLiteral(index == 0 ? " (" : ", ")
            sql.appendInterpolation(name: column.name)
        }
        for index in columns.indices { sql.appendLiteral(index == 0 ? ") VALUES (?" : ", ?") }
        sql.appendLiteral(")")
        return SQL(stringInterpolation: sql).text
    }

    private func update(_ columns: [ImportColumn], _ values: [SQLValue], keyIndex: Int) -> SQL {
        var sql = SQL.Interpolation(literalCapacity: 0, interpolationCount: 0)
        sql.appendLiteral("UPDATE ")
        sql.appendInterpolation(name: target.table)
        // If only the key is given, the row is matched but not changed.
        let changed = columns.count == 1 ? [keyIndex] : columns.indices.filter { $0 != keyIndex }
        for (count, index) in changed.enumerated() {
            sql.appendLiteral(count == 0 ? " SET " : ", ")
            sql.appendInterpolation(name: columns[index].name)
            sql.appendLiteral(" = ")
            sql.appendInterpolation(values[index])
        }
        append(columns[keyIndex], values[keyIndex], to: &sql)
        return SQL(stringInterpolation: sql)
    }

    /// A query for the row that a line identifies.
    private func search(_ key: ImportColumn, _ value: SQLValue) -> SQL {
        var sql = SQL.Interpolation(literalCapacity: 0, interpolationCount: 0)
        sql.appendLiteral("SELECT 1 FROM ")
        sql.appendInterpolation(name: target.table)
        append(key, value, to: &sql)
        return SQL(stringInterpolation: sql)
    }

    private func append(_ key: ImportColumn, _ value: SQLValue, to sql: inout SQL.Interpolation) {
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
