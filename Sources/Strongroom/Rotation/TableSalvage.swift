/// Copies what can be read of one table.
///
/// The pages tell which rows are whole; the engine reads those alone, and is made to confess after each part, so that no value is ever copied
/// with zeros in a damaged page's place.
final class TableSalvage {
    private let source: Connection
    private let target: Connection
    private let columns: [ColumnInfo]
    private let hasRowIDs: Bool
    private let encoding: EncodedText.Encoding
    private let goOn: () throws -> Void
    private(set) var content: SalvageReport.TableContent

    /// Rows that are read in one transaction.
    private static let part = 500

    private var ids: [Int64] = []
    private var keys: [[RecordFields.Field]] = []

    init(
        _ table: SchemaRoot, from source: Connection, to target: Connection, encoding: EncodedText.Encoding,
        goOn: @escaping () throws -> Void
    ) throws {
        self.source = source
        self.target = target
        self.encoding = encoding
        self.goOn = goOn
        columns = try source.columnInfos(of: table.name)
        content = SalvageReport.TableContent(name: table.name)
        // The engine knows the row id of a table by one of its names, if it has one at all.
        let query = "SELECT rowid, oid, _rowid_ FROM \(Identifier.quote(table.name))"
        hasRowIDs = source.objection(to: query) == nil
    }

    /// Copies the table, in a transaction of the target's that is open.
    func copy(_ root: Int, of contents: PageContents) throws {
        guard !hasRowIDs || rowIDName != nil else {
            content.obstacle = "columns have taken all names of the row id, so that no row can be asked for"
            return
        }
        var walk = TreeWalk(contents: contents)
        walk.wantsEntries = !hasRowIDs
        try walk.walk(root) { event in
            switch event {
            case .page: break
            case .row(let id, isWhole: true):
                ids.append(id)
                if ids.count == Self.part { try flush() }
            case .row(let id, isWhole: false):
                try flush()
                lose(id...id, rows: 1)
            case .entry(let record?, isWhole: true): try add(record)
            case .entry: content.rowsLost += 1
            case .unreadable(_, let range):
                try flush()
                content.unreadablePages += 1
                if hasRowIDs { lose(range, rows: 0) }
            }
        }
        try flush()
    }

    private func add(_ record: [UInt8]) throws {
        guard let key = RecordFields(record, count: keyNames.count, encoding: encoding) else {
            content.rowsLost += 1
            return
        }
        keys.append(key.fields)
        if keys.count == Self.part { try flush() }
    }

    private func flush() throws {
        try goOn()
        try copy(ids[...], attempt: copyRows) { lose($0...$0, rows: 1) }
        try copy(keys[...], attempt: copyEntries) { _ in content.rowsLost += 1 }
        (ids, keys) = ([], [])
    }

    /// Copies rows together, and where that fails each half for itself, down to the row that cannot be read.
    private func copy<Key>(
        _ rows: ArraySlice<Key>, attempt: (ArraySlice<Key>) throws -> Void, lose: (Key) -> Void
    ) throws {
        guard let first = rows.first else { return }
        do {
            try target.inSavepoint { try attempt(rows) }
            content.rowsCopied += rows.count
        } catch let error as StrongroomError where error.isDamage || error.code == .constraint {
            guard rows.count > 1 else {
                if error.code == .constraint { content.obstacle = error.message }
                return lose(first)
            }
            let middle = rows.startIndex + rows.count / 2
            try copy(rows[..<middle], attempt: attempt, lose: lose)
            try copy(rows[middle...], attempt: attempt, lose: lose)
        }
    }

    /// Notes lost row ids, together with those next to them.
    private func lose(_ range: ClosedRange<Int64>, rows: Int) {
        content.rowsLost += rows
        if let last = content.lostRowIDs.last, last.upperBound < .max, last.upperBound + 1 >= range.lowerBound {
            content.lostRowIDs[content.lostRowIDs.count - 1] =
                last.lowerBound...max(last.upperBound, range.upperBound)
        } else {
            content.lostRowIDs.append(range)
        }
    }

    // MARK: Reading and writing

    private var table: String { Identifier.quote(content.name) }
    private var names: [String] {
        columns.filter { $0.generated == nil && !$0.isHidden }.map { Identifier.quote($0.name) }
    }
    private var keyNames: [String] {
        columns.filter { $0.keyPlace != nil }.sorted { ($0.keyPlace ?? 0) < ($1.keyPlace ?? 0) }
            .map { Identifier.quote($0.name) }
    }

    /// A name of the row id that no column has taken.
    private var rowIDName: String? {
        let taken = Set(columns.map(\.name.asciiFolded))
        return ["rowid", "_rowid_", "oid"].first { !taken.contains($0) }
    }

    private func insertion(_ names: [String]) -> String {
        let places = Array(repeating: "?", count: names.count).joined(separator: ", ")
        return "INSERT INTO \(table) (\(names.joined(separator: ", "))) VALUES (\(places))"
    }

    private func copyRows(_ ids: ArraySlice<Int64>) throws {
        let names = [rowIDName ?? "rowid"] + names
        // Not through an index, which may be damaged; and not a row further, which may be.
        let query = """
            SELECT \(names.joined(separator: ", ")) FROM \(table) NOT INDEXED \
            WHERE \(names[0]) >= ? ORDER BY \(names[0]) LIMIT ?
            """
        try source.inTransaction(.deferred) {
            try source.withOwnStatement(query, [.integer(ids.first ?? 0), .integer(Int64(ids.count))]) { rows in
                try target.withOwnStatement(insertion(names)) { insertion in
                    for id in ids {
                        guard try rows.step(), try Row(rows).integer(at: 0) == id else { throw missing }
                        try insertion.bindRow(of: rows, count: names.count)
                        try insertion.run()
                        insertion.rewind()
                    }
                }
            }
        }
    }

    private func copyEntries(_ keys: ArraySlice<[RecordFields.Field]>) throws {
        let query = """
            SELECT \(names.joined(separator: ", ")) FROM \(table) \
            WHERE \(keyNames.map { "\($0) = ?" }.joined(separator: " AND "))
            """
        try source.inTransaction(.deferred) {
            for key in keys {
                try source.withOwnStatement(query) { rows in
                    for (place, field) in key.enumerated() { try rows.bind(field, at: place) }
                    try target.withOwnStatement(insertion(names)) { insertion in
                        guard try rows.step() else { throw missing }
                        try insertion.bindRow(of: rows, count: names.count)
                        try insertion.run()
                    }
                }
            }
        }
    }

    private var missing: StrongroomError {
        StrongroomError(.damaged, "The engine does not find a row that the pages have.", database: source.database)
    }
}
