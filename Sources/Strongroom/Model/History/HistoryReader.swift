#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads the history of a table in a transaction.
struct HistoryReader<Source: Table> {
    let history: HistoryTable
    let connection: Connection
    /// The number of the newest change whose former values have another form than the table's columns.
    private let unread: Int64

    private var names: [String] { Source.RecordType.columnNames }

    /// - Throws: ``StrongroomError`` with `notDeclared` if the table has no history.
    init(on connection: Connection) throws {
        self.connection = connection
        guard let history = try HistoryTable(Source.schema) else {
            throw StrongroomError(
                .notDeclared,
                """
                Table "\(Source.schema.name)" has no history; write `history: .keep(…)` in its declaration, as in \
                `@Table("\(Source.schema.name)", history: .keep(days: 365))`.
                """,
                database: connection.database)
        }
        self.history = history
        try connection.prepareTable(Source.schema)
        unread = try connection.unreadChanges(of: history.name)
    }

    /// A record and the values of its columns, without those that are omitted.
    private struct Image {
        let record: Source.RecordType
        let values: [Value]
    }

    /// A row of the history.
    private struct Entry {
        let number: Int64
        let transaction: Int64?
        let author: String?
        let at: Double
        let kind: RecordChange<Source>.Kind
        let key: Source.Key
        /// Nil for an insertion, and if it is not known.
        let before: Image?
        let isBeforeKnown: Bool
    }

    /// What is known of a row after a change.
    private enum After {
        case row(Image), noRow, unknown
    }

    /// The changes that satisfy a condition, in order.
    ///
    /// - Parameters:
    ///   - condition: A condition with parameters, and what follows it.
    ///   - bind: Binds the parameters.
    func changes(
        where condition: String, limit: Int? = nil, _ bind: (borrowing Bindings) throws -> Void
    ) throws -> [RecordChange<Source>] {
        guard limit ?? 0 >= 0 else { throw QueryClauses.negativeLimit }
        let limit = limit.map { " LIMIT \($0)" } ?? ""
        return try entries("WHERE \(condition) ORDER BY change\(limit)", bind).map(change)
    }

    private func change(_ entry: Entry) throws -> RecordChange<Source> {
        let after = try self.after(entry)
        var (record, isKnown, columns) = (Source.RecordType?.none, true, [String]())
        switch after {
        case .row(let image):
            record = image.record
            if let before = entry.before {
                columns = names.indices.filter { before.values[$0].exact != image.values[$0].exact }.map { names[$0] }
            }
        case .noRow: break
        case .unknown: isKnown = false
        }
        return RecordChange(
            number: entry.number, transaction: entry.transaction, author: entry.author,
            at: Date(timeIntervalSinceReferenceDate: entry.at), kind: entry.kind, key: entry.key,
            before: entry.before?.record, isBeforeKnown: entry.isBeforeKnown, after: record, isAfterKnown: isKnown,
            columns: columns)
    }

    /// The row after a change: from before the next change, or the present one.
    private func after(_ entry: Entry) throws -> After {
        guard entry.kind != .delete else { return .noRow }
        let parameter = Source.Key.columnCount + 1
        let next = try entries("WHERE \(history.keyCondition()) AND change > ?\(parameter) ORDER BY change LIMIT 1") {
            try Source.bind(entry.key, to: $0, at: 0)
            try $0.bind(.integer(entry.number), at: parameter - 1)
        }
        if let next = next.first { return next.before.map { .row($0) } ?? .unknown }
        return try present(entry.key).map { .row($0) } ?? .unknown
    }

    private func present(_ key: Source.Key) throws -> Image? {
        let columns = names.map(Identifier.quote).joined(separator: ", ")
        let sql = "SELECT \(columns) FROM \(Source.schema.quotedName) WHERE \(history.rowCondition)"
        let statement = try connection.statement(sql)
        defer { statement.finish() }
        try Source.bind(key, to: Bindings(statement), at: 0)
        return try statement.step() ? image(Row(statement)) : nil
    }

    private func entries(_ rest: String, _ bind: (borrowing Bindings) throws -> Void) throws -> [Entry] {
        let count = names.count
        let columns = names.map { "\(stored($0)) AS \(Identifier.quote($0))" }
        let own = HistoryTable.ownColumns.map(Identifier.quote) + history.quotedKeys
        let sql = "SELECT \((columns + own).joined(separator: ", ")) FROM main.\(history.quotedName) \(rest)"
        let statement = try connection.statement(sql)
        defer { statement.finish() }
        try bind(Bindings(statement))
        var entries: [Entry] = []
        let row = Row(statement)
        while try statement.step() {
            guard let kind = RecordChange<Source>.Kind(rawValue: try row.text(at: count + 4)) else { continue }
            let number: Int64 = try row[count]
            let isRead = kind != .insert && number > unread
            entries.append(
                Entry(
                    number: number, transaction: try row[count + 1], author: try row[count + 2],
                    at: try row[count + 3], kind: kind, key: try Source.readKey(from: row, at: count + 5),
                    before: isRead ? try image(row) : nil,
                    isBeforeKnown: isRead || kind == .insert))
        }
        return entries
    }

    /// The expression for a column of the record.
    private func stored(_ column: String) -> String {
        if Identifier.index(of: column, in: history.keys.map(\.name)) != nil {
            return Identifier.quote(HistoryTable.keyName(of: column))
        }
        guard Identifier.index(of: column, in: history.kept.map(\.name)) != nil else { return "NULL" }
        return Identifier.quote(HistoryTable.formerName(of: column))
    }

    private func image(_ row: borrowing Row) throws -> Image {
        let omitted = history.history.omitted
        let values = try names.indices.map { index in
            Identifier.index(of: names[index], in: omitted) != nil ? Value.null : try row.value(at: index)
        }
        return Image(record: try Source.RecordType(row: row), values: values)
    }
}
