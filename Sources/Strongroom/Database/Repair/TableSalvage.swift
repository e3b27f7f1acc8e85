/// Copies the readable rows of one table.
///
/// They are read from the pages without the engine, so that no value is copied with the zeros of a damaged page.
final class TableSalvage {
    private let source: Connection
    private let target: Connection
    private let plan: SalvagePlan
    private let columns: [ColumnInfo]
    /// The columns of a record, by their indices.
    private let storedColumns: [Int]
    private let hasRowIDs: Bool
    /// The column that is an alias of the row id.
    private let rowIDColumn: Int?
    private let lostAndFound: LostAndFound
    private let checkCancellation: () throws -> Void
    private(set) var content: SalvageReport.TableContent

    /// The number of rows that are written together.
    private static let part = 500
    /// The maximum number of their bytes.
    private static let maxBytes = 1 << 20

    /// The rows that have been read and not written yet.
    private var rows: [FoundRow] = []
    private var bytes = 0
    private var insertions: [Int: (positions: [Int], sql: String)] = [:]

    init(
        _ table: SchemaEntry, from source: Connection, to target: Connection, _ plan: SalvagePlan,
        _ lostAndFound: LostAndFound, checkCancellation: @escaping () throws -> Void
    ) throws {
        self.source = source
        self.target = target
        self.plan = plan
        self.lostAndFound = lostAndFound
        self.checkCancellation = checkCancellation
        columns = try source.columnInfos(of: table.name)
        content = SalvageReport.TableContent(name: table.name)
        hasRowIDs = source.hasRowIDs(table.name)
        storedColumns = columns.stored(hasRowIDs: hasRowIDs)
        rowIDColumn = try source.rowIDColumn(of: table.name, columns)
    }

    /// Copies the table, in an open transaction of the target.
    func copy(_ root: Int) throws {
        guard !hasRowIDs || columns.freeRowIDName != nil else {
            content.obstacle = "columns use all names of the row id, so that no row can be selected"
            return
        }
        try copyRows(below: root, areOrphaned: false, unreadable: copyBranches)
        try countLoss()
    }

    /// Completes the report with what the indexes reveal.
    private func countLoss() throws {
        content.lostRowIDs = content.lostRowIDs.joined
        guard content.unreadablePages > 0 else { return }
        guard let all = try plan.survey.rowCount(of: content.name, source),
            all - content.rowsCopied >= content.rowsLost
        else {
            content.isLossCounted = false
            return
        }
        content.rowsLost = all - content.rowsCopied
        guard content.rowsLost == 0 else { return }
        // There are no further lost rows.
        content.unreadablePages = 0
        content.lostRowIDs = []
    }

    /// Copies the rows that were found below an unreadable page.
    private func copyBranches(below gap: TreeWalk.Gap) throws {
        let branches = plan.branches(of: content.name, below: gap)
        for branch in branches {
            let others = branches.filter { $0.top != branch.top }.compactMap(\.range)
            try copyRows(below: branch.top, areOrphaned: true) { inner in
                content.unreadablePages += 1
                guard hasRowIDs, inner.range.overlaps(gap.range) else { return }
                for range in [inner.range.clamped(to: gap.range)].without(others) { lose(range, rows: 0) }
            }
        }
        guard !plan.isComplete(content.name, below: gap) else { return }
        content.unreadablePages += 1
        guard hasRowIDs else { return }
        for range in [gap.range].without(branches.compactMap(\.range)) { lose(range, rows: 0) }
    }

    // MARK: Rows

    private func copyRows(
        below top: Int, areOrphaned: Bool, unreadable: (TreeWalk.Gap) throws -> Void
    ) throws {
        var walk = TreeWalk(contents: plan.contents)
        walk.rowContent = .everything
        try walk.walk(top) { event in
            switch event {
            case .page, .node: break
            case .row(let id, let record, let isReadable): try add(id, record, isReadable, top, areOrphaned)
            case .unreadable(let gap):
                try flush(areOrphaned)
                try unreadable(gap)
            }
        }
        try flush(areOrphaned)
    }

    private func add(_ id: Int64?, _ record: WipedBytes, _ isReadable: Bool, _ page: Int, _ isOrphaned: Bool) throws {
        guard isReadable, (id != nil) == hasRowIDs, let fields = RecordFields(record, encoding: plan.encoding)?.fields,
            !fields.isEmpty
        else { return lose(id) }
        rows.append(FoundRow(page: page, id: id, fields: fields))
        bytes += record.count
        if rows.count == Self.part || bytes > Self.maxBytes { try flush(isOrphaned) }
    }

    private func flush(_ areOrphaned: Bool) throws {
        guard !rows.isEmpty else { return }
        try checkCancellation()
        let before = content.rowsCopied
        var refused: [FoundRow] = []
        try copy(rows[...]) { refused.append($0) }
        if areOrphaned { content.rowsFound += content.rowsCopied - before }
        for row in refused {
            lose(row.id)
            // One that was found and conflicts with another is kept, too.
            if areOrphaned { try lostAndFound.add(row, candidates: [content.name]) }
        }
        (rows, bytes) = ([], 0)
    }

    /// Copies rows together; if that fails, copies each half separately, down to the row that cannot be written.
    private func copy(_ part: ArraySlice<FoundRow>, refused: (FoundRow) -> Void) throws {
        guard let first = part.first else { return }
        do {
            try target.inSavepoint { try insert(part) }
            content.rowsCopied += part.count
        } catch let error as StrongroomError where error.isDamage || error.code == .constraint {
            guard part.count > 1 else {
                if error.code == .constraint { content.obstacle = error.message }
                return refused(first)
            }
            let middle = part.startIndex + part.count / 2
            try copy(part[..<middle], refused: refused)
            try copy(part[middle...], refused: refused)
        }
    }

    private func insert(_ rows: ArraySlice<FoundRow>) throws {
        for row in rows {
            let (stored, statement) = insertion(row.fields.count)
            try target.withOwnStatement(statement) { insertion in
                for (index, position) in stored.enumerated() {
                    let isRowID = storedColumns[position] == rowIDColumn
                    try insertion.bind(isRowID ? .plain(.integer(row.id ?? 0)) : row.fields[position], at: index)
                }
                if let id = row.id { try insertion.bind(.plain(.integer(id)), at: stored.count) }
                try insertion.run()
            }
        }
    }

    /// The values of a record that are inserted, and the statement for a record of that many values. A row that is
    /// older than a column ends before it, and gets the column's default.
    private func insertion(_ fieldCount: Int) -> (positions: [Int], sql: String) {
        if let known = insertions[fieldCount] { return known }
        let positions = storedColumns.indices.prefix(fieldCount).filter { columns[storedColumns[$0]].generated == nil }
        var names = positions.map { Identifier.quote(columns[storedColumns[$0]].name) }
        if hasRowIDs { names.append(columns.freeRowIDName ?? "rowid") }
        let parameters = Array(repeating: "?", count: names.count).joined(separator: ", ")
        // No row replaces another, whatever the table's conflict clauses say.
        let statement = """
            INSERT OR ABORT INTO \(Identifier.quote(content.name)) (\(names.joined(separator: ", "))) \
            VALUES (\(parameters))
            """
        insertions[fieldCount] = (positions, statement)
        return (positions, statement)
    }

    private func lose(_ id: Int64?) {
        if let id { lose(id...id, rows: 1) } else { content.rowsLost += 1 }
    }

    private func lose(_ range: ClosedRange<Int64>, rows: Int) {
        content.rowsLost += rows
        content.lostRowIDs.append(range)
        // An entire table may be lost row by row.
        if content.lostRowIDs.count.isMultiple(of: 4 * Self.part) { content.lostRowIDs = content.lostRowIDs.joined }
    }
}

/// The full-text indexes of a file that is salvaged: they are created anew from the salvaged rows, and none of their
/// pages is read.
struct FullTextSalvage {
    let indexes: [StoredFullText]
    /// The schema without the indexes.
    let others: [SchemaEntry]

    init(_ entries: [SchemaEntry]) {
        let indexes = StoredFullText.all(in: entries.filter { !$0.sql.isEmpty })
        let own = Set(indexes.flatMap(\.allNames).map { SQLName($0) })
        self.indexes = indexes
        others = entries.filter { !own.contains(SQLName($0.name)) && !own.contains(SQLName($0.table)) }
    }

    func create(_ index: StoredFullText, _ target: Connection) throws {
        let table = try FullTextTable(index, target, target.schemaEntries())
        for sql in table.creation { try target.run(sql) }
        try target.fill(table)
        for sql in table.triggers { try target.run(sql) }
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

/// A row that was read from a page without the engine.
struct FoundRow {
    /// The first page of the branch that contains it.
    let page: Int
    /// Its row id, if its table has row ids.
    let id: Int64?
    let fields: [RecordFields.Field]
}

/// The table of a new file for rows whose pages do not identify the table that they belong to.
final class LostAndFound {
    private let target: Connection
    private let isKept: Bool
    private let names: Set<SQLName>
    /// The number of value columns of the table; nil before it is created.
    private var width = 0
    /// The content of the table; nil if it is empty.
    private(set) var content: SalvageReport.LostAndFound?

    private static let fixed = ["page", "candidates", "id", "fields"]

    /// - Parameter isKept: Whether rows are stored, or only counted.
    init(_ target: Connection, _ entries: [SchemaEntry], isKept: Bool) {
        self.target = target
        self.isKept = isKept
        names = Set(entries.map { SQLName($0.name) })
    }

    /// Adds the rows that a plan could not attribute to a table, in an open transaction of the target.
    func add(_ plan: SalvagePlan, checkCancellation: () throws -> Void) throws {
        for (branch, tables) in plan.unattributedBranches {
            var walk = TreeWalk(contents: plan.contents)
            walk.rowContent = .everything
            try walk.walk(branch.top) { event in
                guard case .row(let id, let record, isReadable: true) = event else { return }
                try checkCancellation()
                guard let fields = RecordFields(record, encoding: plan.encoding)?.fields else { return }
                try add(FoundRow(page: branch.top, id: id, fields: fields), candidates: tables)
            }
            if content != nil, plan.mayHaveDeletedRows { content?.mayHaveDeletedRows = true }
        }
    }

    func add(_ row: FoundRow, candidates: [String]) throws {
        var content = content ?? SalvageReport.LostAndFound()
        content.rows += 1
        content.candidates.formUnion(candidates)
        if isKept {
            let table = try content.table ?? make()
            content.table = table
            try widen(table, to: row.fields.count)
            try insert(row, candidates, into: table)
        }
        self.content = content
    }

    private func make() throws -> String {
        let plain = "lost_and_found"
        var name = plain
        var number = 0
        while names.contains(SQLName(name)) {
            name = "\(plain)_\(number)"
            number += 1
        }
        // Without declared types, so that every value is stored unchanged.
        try target.run(
            "CREATE TABLE \(Identifier.quote(name)) (page INTEGER, candidates TEXT, id INTEGER, fields INTEGER)")
        return name
    }

    private func widen(_ table: String, to count: Int) throws {
        while width < count {
            try target.run("ALTER TABLE \(Identifier.quote(table)) ADD COLUMN c\(width)")
            width += 1
        }
    }

    private func insert(_ row: FoundRow, _ candidates: [String], into table: String) throws {
        let columns = Self.fixed + row.fields.indices.map { "c\($0)" }
        let parameters = Array(repeating: "?", count: columns.count).joined(separator: ", ")
        let query = """
            INSERT INTO \(Identifier.quote(table)) (\(columns.joined(separator: ", "))) VALUES (\(parameters))
            """
        try target.withOwnStatement(query) { statement in
            let head: [SQLValue] = [
                .integer(Int64(row.page)), .text(candidates.joined(separator: ", ")),
                row.id.map { .integer($0) } ?? .null, .integer(Int64(row.fields.count)),
            ]
            for (index, value) in head.enumerated() { try Bindings(statement).bind(value, at: index) }
            for (index, field) in row.fields.enumerated() { try statement.bind(field, at: head.count + index) }
            try statement.run()
        }
    }
}
