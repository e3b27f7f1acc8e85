/// Copies the readable rows of one table.
///
/// The pages show which rows are intact. The engine reads only these, and is checked for damage after each part, so
/// that no value is copied with zeros in place of a damaged page. Rows that no page refers to any more are read without
/// the engine.
final class TableSalvage {
    /// The known facts about the file's pages.
    struct Pages {
        let contents: PageContents
        let plan: SalvagePlan
        let encoding: EncodedText.Encoding
    }

    private let source: Connection
    let target: Connection
    let pages: Pages
    let columns: [ColumnInfo]
    let hasRowIDs: Bool
    /// The column that is an alias of the row id.
    let rowIDColumn: Int?
    private let lostAndFound: LostAndFound
    private let checkCancellation: () throws -> Void
    private(set) var content: SalvageReport.TableContent

    /// The number of rows that are read in one transaction.
    private static let part = 500
    /// The maximum number of bytes of rows that are collected before they are written together.
    private static let maxBytes = 1 << 20

    private var ids: [Int64] = []
    private var keys: [[RecordFields.Field]] = []
    private var found: [FoundRow] = []
    private var foundBytes = 0

    init(
        _ table: SchemaRoot, from source: Connection, to target: Connection, _ pages: Pages,
        _ lostAndFound: LostAndFound, checkCancellation: @escaping () throws -> Void
    ) throws {
        self.source = source
        self.target = target
        self.pages = pages
        self.lostAndFound = lostAndFound
        self.checkCancellation = checkCancellation
        columns = try source.columnInfos(of: table.name)
        content = SalvageReport.TableContent(name: table.name)
        hasRowIDs = source.hasRowIDs(table.name)
        rowIDColumn = try source.rowIDColumn(of: table.name, columns)
    }

    /// Copies the table, in an open transaction of the target.
    func copy(_ root: Int) throws {
        guard !hasRowIDs || rowIDName != nil else {
            content.obstacle = "columns use all names of the row id, so that no row can be selected"
            return
        }
        var walk = TreeWalk(contents: pages.contents)
        if !hasRowIDs { walk.rowContent = .everything }
        try walk.walk(root) { event in
            switch event {
            case .page, .node: break
            case .row(let id, _, isWhole: true):
                ids.append(id)
                if ids.count == Self.part { try flush() }
            case .row(let id, _, isWhole: false): lose(id...id, rows: 1)
            case .entry(let record, isWhole: true): try add(record)
            case .entry: content.rowsLost += 1
            case .unreadable(let gap):
                try flush()
                try copyBranches(below: gap)
            }
        }
        try flush()
        try countLoss()
    }

    /// Completes the report with what the indexes reveal.
    private func countLoss() throws {
        content.lostRowIDs = content.lostRowIDs.joined
        guard content.unreadablePages > 0 else { return }
        guard let all = try pages.plan.rowCount(of: content.name, source),
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

    private func add(_ record: WipedBytes) throws {
        guard let key = RecordFields(record, count: keyNames.count, encoding: pages.encoding) else {
            content.rowsLost += 1
            return
        }
        keys.append(key.fields.map(\.copied))
        if keys.count == Self.part { try flush() }
    }

    private func flush() throws {
        try checkCancellation()
        try copy(ids[...], attempt: copyRows) { id, _ in lose(id...id, rows: 1) }
        try copy(keys[...], attempt: copyEntries) { _, _ in content.rowsLost += 1 }
        (ids, keys) = ([], [])
        try flushFound()
    }

    // MARK: Orphaned rows

    /// Copies the rows that were found below an unreadable page.
    private func copyBranches(below gap: TreeWalk.Gap) throws {
        let branches = pages.plan.branches(of: content.name, below: gap)
        for branch in branches {
            let others = branches.filter { $0.top != branch.top }.compactMap(\.range)
            try copy(branch) { inner in
                content.unreadablePages += 1
                guard hasRowIDs, inner.range.overlaps(gap.range) else { return }
                for range in [inner.range.clamped(to: gap.range)].without(others) { lose(range, rows: 0) }
            }
        }
        guard !pages.plan.isComplete(content.name, below: gap) else { return }
        content.unreadablePages += 1
        guard hasRowIDs else { return }
        for range in [gap.range].without(branches.compactMap(\.range)) { lose(range, rows: 0) }
    }

    private func copy(_ branch: OrphanedBranch, unreadable: (TreeWalk.Gap) -> Void) throws {
        var walk = TreeWalk(contents: pages.contents)
        walk.rowContent = .everything
        try walk.walk(branch.top) { event in
            switch event {
            case .page, .node: break
            case .row(let id, let record, isWhole: true): try addFound(id, record, branch.top)
            case .row(let id, _, isWhole: false): lose(id...id, rows: 1)
            case .entry(let record, isWhole: true): try addFound(nil, record, branch.top)
            case .entry: content.rowsLost += 1
            case .unreadable(let gap): unreadable(gap)
            }
        }
        try flushFound()
    }

    private func addFound(_ id: Int64?, _ record: WipedBytes, _ page: Int) throws {
        guard let fields = RecordFields(record, encoding: pages.encoding)?.fields else {
            return loseFound(id)
        }
        found.append(FoundRow(page: page, id: id, fields: fields))
        foundBytes += record.count
        if found.count == Self.part || foundBytes > Self.maxBytes { try flushFound() }
    }

    private func flushFound() throws {
        guard !found.isEmpty else { return }
        try checkCancellation()
        let before = content.rowsCopied
        var conflicting: [FoundRow] = []
        try copy(found[...], attempt: copyFound) { row, _ in
            conflicting.append(row)
            loseFound(row.id)
        }
        content.rowsFound += content.rowsCopied - before
        // Rows that conflict with others are kept, too.
        for row in conflicting { try lostAndFound.add(row, candidates: [content.name]) }
        (found, foundBytes) = ([], 0)
    }

    private func loseFound(_ id: Int64?) {
        if let id { lose(id...id, rows: 1) } else { content.rowsLost += 1 }
    }

    /// Copies rows together; if that fails, copies each half separately, down to the row that cannot be read.
    private func copy<Key>(
        _ rows: ArraySlice<Key>, attempt: (ArraySlice<Key>) throws -> Void,
        lose: (Key, StrongroomError) -> Void
    ) throws {
        guard let first = rows.first else { return }
        do {
            try target.inSavepoint { try attempt(rows) }
            content.rowsCopied += rows.count
        } catch let error as StrongroomError where error.isDamage || error.code == .constraint {
            guard rows.count > 1 else {
                if error.code == .constraint { content.obstacle = error.message }
                return lose(first, error)
            }
            let middle = rows.startIndex + rows.count / 2
            try copy(rows[..<middle], attempt: attempt, lose: lose)
            try copy(rows[middle...], attempt: attempt, lose: lose)
        }
    }

    private func lose(_ range: ClosedRange<Int64>, rows: Int) {
        content.rowsLost += rows
        content.lostRowIDs.append(range)
        // A whole table may be lost row by row.
        if content.lostRowIDs.count.isMultiple(of: 4 * Self.part) { content.lostRowIDs = content.lostRowIDs.joined }
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
    private var rowIDName: String? { columns.freeRowIDName }

    private func insertion(_ names: [String]) -> String {
        let parameters = Array(repeating: "?", count: names.count).joined(separator: ", ")
        // No row replaces another, whatever the table's conflict clauses say.
        return "INSERT OR ABORT INTO \(table) (\(names.joined(separator: ", "))) VALUES (\(parameters))"
    }

    private func copyFound(_ rows: ArraySlice<FoundRow>) throws {
        let stored = StoredColumns(columns, hasRowIDs: hasRowIDs).indices
        for row in rows {
            // A row that is older than a column ends before it, and gets the column's default.
            let written = zip(stored, row.fields).filter { columns[$0.0].generated == nil }
            var names = written.map { Identifier.quote(columns[$0.0].name) }
            if row.id != nil { names.append(rowIDName ?? "rowid") }
            try target.withOwnStatement(insertion(names)) { insertion in
                for (index, (column, field)) in written.enumerated() {
                    let isRowID = column == rowIDColumn
                    try insertion.bind(isRowID ? .plain(.integer(row.id ?? 0)) : field, at: index)
                }
                if let id = row.id { try insertion.bind(.plain(.integer(id)), at: written.count) }
                try insertion.run()
            }
        }
    }

    private func copyRows(_ ids: ArraySlice<Int64>) throws {
        let names = [rowIDName ?? "rowid"] + names
        // Neither an index nor a following row is read, because either may be damaged.
        let query = """
            SELECT \(names.joined(separator: ", ")) FROM \(table) NOT INDEXED WHERE \(names[0]) >= ? ORDER BY \
            \(names[0]) LIMIT ?
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
            SELECT \(names.joined(separator: ", ")) FROM \(table) WHERE \
            \(keyNames.map { "\($0) = ?" }.joined(separator: " AND "))
            """
        try source.inTransaction(.deferred) {
            for key in keys {
                try source.withOwnStatement(query) { rows in
                    for (index, field) in key.enumerated() { try rows.bind(field, at: index) }
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
        StrongroomError(.damaged, "The engine does not find a row that the pages contain.", database: source.database)
    }
}

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
    /// The names in use.
    private let names: Set<SQLName>
    /// The number of value columns of the table; nil before it is created.
    private var width = 0
    /// The content of the table; nil if it is empty.
    private(set) var content: SalvageReport.LostAndFound?

    private static let fixed = ["page", "candidates", "id", "fields"]

    /// - Parameters:
    ///   - target: The new file.
    ///   - isKept: Whether rows are stored, or only counted.
    init(_ target: Connection, roots: [SchemaRoot], isKept: Bool) {
        self.target = target
        self.isKept = isKept
        names = Set(roots.map { SQLName($0.name) })
    }

    /// Adds the rows that a plan could not attribute to a table, in an open transaction of the target.
    func add(_ plan: SalvagePlan, _ pages: TableSalvage.Pages, checkCancellation: () throws -> Void) throws {
        for (branch, tables) in plan.unattributedBranches {
            var walk = TreeWalk(contents: pages.contents)
            walk.rowContent = .everything
            try walk.walk(branch.top) { event in
                let (id, record): (Int64?, WipedBytes)
                switch event {
                case .row(let rowID, let row, isWhole: true): (id, record) = (rowID, row)
                case .entry(let row, isWhole: true): (id, record) = (nil, row)
                default: return
                }
                try checkCancellation()
                guard let fields = RecordFields(record, encoding: pages.encoding)?.fields else { return }
                try add(FoundRow(page: branch.top, id: id, fields: fields), candidates: tables)
            }
            if content != nil, plan.mayHaveDeletedRows { content?.mayHaveDeletedRows = true }
        }
    }

    /// Adds a row.
    ///
    /// - Parameter candidates: The tables to which it may belong.
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
            let head: [Value] = [
                .integer(Int64(row.page)), .text(candidates.joined(separator: ", ")),
                row.id.map { .integer($0) } ?? .null, .integer(Int64(row.fields.count)),
            ]
            for (index, value) in head.enumerated() { try Bindings(statement).bind(value, at: index) }
            for (index, field) in row.fields.enumerated() { try statement.bind(field, at: head.count + index) }
            try statement.run()
        }
    }
}
