/// The rows whose foreign keys reference no row, at one time; a later comparison finds the new ones.
///
/// A row is identified by its table, its row id and the values of the foreign key. If the table was renamed or rebuilt
/// in between, row ids and names may differ, and only the values are compared. The rows are packed: if a parent table
/// is lost, all rows of its child table are included.
struct DanglingRows {
    /// The rows by foreign key, also for foreign keys without such rows.
    private(set) var rows: [StoredReference.Identity: (key: StoredReference, packed: PackedRows)] = [:]
    /// The foreign keys that the engine cannot check, since they reference columns that are not unique, by child table.
    private(set) var unchecked: Set<SQLName> = []

    /// Reads the dangling rows of a file.
    ///
    /// - Parameters:
    ///   - table: The table to check, with the tables that reference it; nil for all.
    ///   - isWhole: Whether there are known to be no such rows.
    init(_ connection: Connection, around table: String? = nil, isWhole: Bool = false) throws {
        for keys in try connection.storedReferences(around: table) {
            for key in keys { rows[key.identity] = (key, PackedRows()) }
            guard !isWhole, let child = keys.first?.child else { continue }
            switch try connection.danglingState(of: child) {
            case .none: continue
            case .unknown: unchecked.insert(SQLName(child))
            case .some:
                for key in keys {
                    var packed = PackedRows()
                    try connection.forEachDanglingRow(key) { packed.append($0, $1) }
                    rows[key.identity] = (key, packed)
                }
            }
        }
    }
}

/// A foreign key of a table in the file.
struct StoredReference {
    /// The identity of the foreign key as long as neither tables nor columns are renamed.
    struct Identity: Hashable {
        let child: SQLName
        let columns: [SQLName]
        let parent: SQLName
    }

    let child: String
    /// The root page of the child table, which changes when the table is rebuilt.
    let rootPage: Int64
    let columns: [String]
    let parent: String
    /// Empty if there is no such table.
    let parentColumns: [String]
    /// The name of the child's row id; nil if it has none that can be named.
    let rowID: String?
    /// The primary key, for a WITHOUT ROWID table.
    let keyColumns: [String]

    var identity: Identity {
        Identity(child: SQLName(child), columns: columns.map(SQLName.init), parent: SQLName(parent))
    }

    /// Row id, key columns and values of the dangling rows, ordered by row id.
    ///
    /// The values are compared with the affinity and collation of the parent's column, as in the engine's own check: a
    /// `+` removes the affinity of the child's column.
    var query: String {
        let selected = [rowID.map { "c.\($0)" } ?? "NULL"] + (keyColumns + columns).map { "c.\(Identifier.quote($0))" }
        var conditions = columns.map { "c.\(Identifier.quote($0)) IS NOT NULL" }
        if !parentColumns.isEmpty {
            let pairs = zip(parentColumns, columns).map { "p.\(Identifier.quote($0)) = +c.\(Identifier.quote($1))" }
            conditions.append(
                "NOT EXISTS (SELECT 1 FROM \(Identifier.quote(parent)) AS p WHERE \(pairs.joined(separator: " AND ")))")
        }
        return "SELECT \(selected.joined(separator: ", ")) FROM \(Identifier.quote(child)) AS c NOT INDEXED "
            + "WHERE \(conditions.joined(separator: " AND "))" + (rowID.map { " ORDER BY c.\($0)" } ?? "")
    }
}

extension Connection {
    enum DanglingState {
        case none, some
        /// A foreign key references columns that are not unique.
        case unknown
    }

    /// Whether a table has dangling rows.
    func danglingState(of table: String) throws -> DanglingState {
        do {
            return try withOwnStatement("PRAGMA foreign_key_check(\(Identifier.quote(table)))") { statement in
                try statement.step() ? .some : .none
            }
        } catch let error as StrongroomError where error.code == .sql {
            return .unknown
        }
    }

    /// The foreign keys of the file's tables, grouped by table.
    ///
    /// - Parameter table: Limits the result to the foreign keys of this table and of the tables that reference it; nil
    ///   for all.
    func storedReferences(around table: String?) throws -> [[StoredReference]] {
        let rows = try ownRows(
            """
            SELECT name, rootpage, sql FROM sqlite_master WHERE type = 'table' AND instr(lower(sql), 'references') > 0 \
            ORDER BY rowid
            """)
        return try rows.compactMap { row -> [StoredReference]? in
            guard let child = row[0].asText, let page = row[1].asInteger, let sql = row[2].asText else { return nil }
            let keys = try foreignKeys(of: child, page, sql)
            guard let table, !Identifier.areSame(child, table) else { return keys }
            return keys.contains { Identifier.areSame($0.parent, table) } ? keys : nil
        }
    }

    private func foreignKeys(of child: String, _ page: Int64, _ sql: String) throws -> [StoredReference] {
        let infos = try columnInfos(of: child)
        let isWithoutRowID = CreateTableText(sql)?.isWithoutRowID ?? false
        let rowID = isWithoutRowID ? nil : infos.freeRowIDName
        let keyColumns = isWithoutRowID ? keyColumns(infos) : []
        var found: [Int64: (parent: String, columns: [String], parentColumns: [String])] = [:]
        for row in try ownRows("PRAGMA foreign_key_list(\(Identifier.quote(child)))") {
            guard let id = row[0].asInteger, let parent = row[2].asText, let column = row[3].asText else { continue }
            found[id, default: (parent, [], [])].columns.append(column)
            if let other = row[4].asText { found[id]?.parentColumns.append(other) }
        }
        return try found.sorted { $0.key < $1.key }.map { _, key in
            let parentInfos = try columnInfos(of: key.parent)
            let parentColumns = key.parentColumns.isEmpty ? self.keyColumns(parentInfos) : key.parentColumns
            return StoredReference(
                child: child, rootPage: page, columns: key.columns, parent: key.parent,
                parentColumns: parentInfos.isEmpty ? [] : parentColumns, rowID: rowID, keyColumns: keyColumns)
        }
    }

    private func keyColumns(_ infos: [ColumnInfo]) -> [String] {
        infos.filter { $0.keyPlace != nil }.sorted { $0.keyPlace ?? 0 < $1.keyPlace ?? 0 }.map(\.name)
    }

    /// Calls a closure for each dangling row of a foreign key.
    ///
    /// - Parameter body: Called with the row id, in ascending order, or nil if there is none, and the encoded values of
    ///   the row.
    func forEachDanglingRow(_ key: StoredReference, _ body: (Int64?, [UInt8]) throws -> Void) throws {
        try withOwnStatement(key.query) { statement in
            let row = Row(statement)
            var bytes: [UInt8] = []
            while try statement.step() {
                bytes.removeAll(keepingCapacity: true)
                for index in 1..<row.count { PackedRows.encode(try row.value(at: index), into: &bytes) }
                try body(key.rowID == nil ? nil : row.integer(at: 0), bytes)
            }
        }
    }
}

/// Row ids in ascending order with associated bytes, in a compact encoding.
struct PackedRows {
    private var bytes: [UInt8] = []
    private(set) var count = 0
    private var last: Int64 = 0

    mutating func append(_ id: Int64?, _ value: [UInt8]) {
        let id = id ?? 0
        Self.encode(UInt64(bitPattern: id &- last), into: &bytes)
        Self.encode(UInt64(value.count), into: &bytes)
        bytes += value
        (last, count) = (id, count + 1)
    }

    /// Iterates over the rows in order.
    struct Reader {
        private let bytes: [UInt8]
        private var position = 0
        private var last: Int64 = 0

        fileprivate init(_ bytes: [UInt8]) { self.bytes = bytes }

        mutating func next() -> (id: Int64, value: ArraySlice<UInt8>)? {
            guard position < bytes.count else { return nil }
            last = last &+ Int64(bitPattern: number())
            let length = Int(number())
            defer { position += length }
            return (last, bytes[position..<(position + length)])
        }

        private mutating func number() -> UInt64 {
            var (value, shift): (UInt64, UInt64) = (0, 0)
            while position < bytes.count {
                let byte = bytes[position]
                position += 1
                value |= UInt64(byte & 0x7f) << shift
                if byte < 0x80 { break }
                shift += 7
            }
            return value
        }
    }

    func reader() -> Reader { Reader(bytes) }

    private static func encode(_ number: UInt64, into bytes: inout [UInt8]) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7f) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Encodes a value. A number and its text are encoded equally: a change of the column's type converts one to the
    /// other.
    static func encode(_ value: Value, into bytes: inout [UInt8]) {
        func add(_ kind: UInt8, _ content: some Collection<UInt8>) {
            bytes.append(kind)
            encode(UInt64(content.count), into: &bytes)
            bytes += content
        }
        switch value {
        case .null: bytes.append(0)
        case .integer(let number): add(1, Array(String(number).utf8))
        case .real(let number):
            add(1, Array((Int64(exactly: number).map { String($0) } ?? String(number)).utf8))
        case .text(let text): add(1, Array(text.utf8))
        case .blob(let content): add(2, content)
        }
    }
}

/// The dangling rows at a later time, split into new and existing ones.
struct DanglingComparison {
    /// A row with a dangling foreign key; the row id is nil if the table has none.
    struct Found: Sendable, Equatable {
        let table: String
        let rowID: Int64?
        let parent: String
    }

    /// The maximum number of rows in a message.
    static let maxNamed = 10
    /// The maximum number of rows in a report.
    static let maxListed = 100

    /// The first of the new dangling rows.
    private(set) var new: [Found] = []
    private(set) var newCount = 0
    /// The first of the dangling rows that existed before.
    private(set) var old: [Found] = []
    private(set) var oldCount = 0
    /// Whether the engine could check all foreign keys.
    private(set) var isComplete = true

    private let before: DanglingRows
    private let connection: Connection

    /// Compares the file's current state.
    ///
    /// - Throws: ``StrongroomError`` with `sql` for a foreign key that references columns that are not unique, unless
    ///   it existed before.
    init(since before: DanglingRows, _ connection: Connection, around table: String? = nil) throws {
        self.before = before
        self.connection = connection
        let keys = try connection.storedReferences(around: table)
        var loose: [StoredReference] = []
        for keys in keys {
            guard let child = keys.first?.child else { continue }
            switch try connection.danglingState(of: child) {
            case .none: continue
            case .unknown:
                isComplete = false
                try checkUnknown(keys)
            case .some:
                for key in keys where try !compareStrictly(key) { loose.append(key) }
            }
        }
        guard !loose.isEmpty else { return }
        var pool = try pool(keys.flatMap { $0 })
        for key in loose { try compareByValue(key, &pool) }
    }

    /// Throws for a foreign key that cannot be checked, unless the same one existed before.
    private func checkUnknown(_ keys: [StoredReference]) throws {
        let isOld = keys.contains { key in
            before.unchecked.contains(SQLName(key.child))
                || before.rows.values.contains {
                    $0.key.rootPage == key.rootPage && before.unchecked.contains(SQLName($0.key.child))
                }
        }
        guard !isOld, let child = keys.first?.child else { return }
        try connection.run("PRAGMA foreign_key_check(\(Identifier.quote(child)))")
    }

    /// Compares by row id.
    ///
    /// - Returns: Whether the comparison is conclusive; if not, only rows that existed before under the same row id
    ///   were counted.
    private mutating func compareStrictly(_ key: StoredReference) throws -> Bool {
        guard let known = before.rows[key.identity], key.rowID != nil, known.key.rowID != nil else { return false }
        let isSameTable = known.key.rootPage == key.rootPage
        var decides = true
        var (oldFound, newFound): ([Found], [Found]) = ([], [])
        var (oldTotal, newTotal) = (0, 0)
        try Self.merge(key, known.packed, connection) { id, _, isKnown in
            if isKnown {
                oldTotal += 1
                if oldFound.count < Self.maxListed {
                    oldFound.append(Found(table: key.child, rowID: id, parent: key.parent))
                }
            } else {
                decides = decides && isSameTable
                newTotal += 1
                if newFound.count < Self.maxNamed {
                    newFound.append(Found(table: key.child, rowID: id, parent: key.parent))
                }
            }
        }
        // For an unchanged rowid table the row ids are conclusive; for a rebuilt table the remaining rows are compared
        // by value.
        guard decides else { return false }
        old += oldFound.prefix(Self.maxListed - old.count)
        new += newFound.prefix(Self.maxNamed - new.count)
        oldCount += oldTotal
        newCount += newTotal
        return true
    }

    /// Walks the rows that dangle now, and determines which ones dangled before under the same row id and with the same
    /// values.
    ///
    /// - Parameter gone: Receives the values of rows that no longer dangle.
    private static func merge(
        _ key: StoredReference, _ packed: PackedRows, _ connection: Connection,
        gone: (ArraySlice<UInt8>) -> Void = { _ in },
        _ body: (_ id: Int64?, _ value: [UInt8], _ isKnown: Bool) -> Void
    ) throws {
        var reader = packed.reader()
        var next = reader.next()
        try connection.forEachDanglingRow(key) { id, value in
            while let old = next, let id, old.id < id {
                gone(old.value)
                next = reader.next()
            }
            if let old = next, old.id == id, old.value.elementsEqual(value) {
                body(id, value, true)
                next = reader.next()
            } else {
                body(id, value, false)
            }
        }
        while let old = next {
            gone(old.value)
            next = reader.next()
        }
    }

    // MARK: By value

    /// The values of dangling rows in tables that were renamed, rebuilt or have no row ids, and the number of rows for
    /// each.
    private func pool(_ now: [StoredReference]) throws -> [[UInt8]: Int] {
        let present = Dictionary(now.map { ($0.identity, $0) }) { first, _ in first }
        var pool: [[UInt8]: Int] = [:]
        for (identity, known) in before.rows where known.packed.count > 0 {
            if let key = present[identity], key.rowID != nil, known.key.rowID != nil {
                // For the same table the row ids are conclusive.
                guard key.rootPage != known.key.rootPage else { continue }
                try Self.merge(
                    key, known.packed, connection, gone: { pool[Array($0), default: 0] += 1 }, { _, _, _ in })
            } else {
                var reader = known.packed.reader()
                while let row = reader.next() { pool[Array(row.value), default: 0] += 1 }
            }
        }
        return pool
    }

    private mutating func compareByValue(_ key: StoredReference, _ pool: inout [[UInt8]: Int]) throws {
        var (found, total, oldFound): ([Found], Int, Int) = ([], 0, 0)
        var listed: [Found] = []
        func count(_ id: Int64?, _ value: [UInt8], _ isKnown: Bool) {
            let row = Found(table: key.child, rowID: id, parent: key.parent)
            if !isKnown {
                guard let left = pool[value], left > 0 else {
                    total += 1
                    if found.count < Self.maxNamed { found.append(row) }
                    return
                }
                pool[value] = left - 1
            }
            oldFound += 1
            if listed.count < Self.maxListed { listed.append(row) }
        }
        if let known = before.rows[key.identity], key.rowID != nil, known.key.rowID != nil {
            try Self.merge(key, known.packed, connection) { count($0, $1, $2) }
        } else {
            try connection.forEachDanglingRow(key) { count($0, $1, false) }
        }
        new += found.prefix(Self.maxNamed - new.count)
        old += listed.prefix(Self.maxListed - old.count)
        newCount += total
        oldCount += oldFound
    }
}

extension DanglingComparison.Found {
    /// A description for messages.
    var words: String {
        let number = rowID.map { " \($0)" } ?? ""
        return "row\(number) of table \"\(table)\" references a row of \"\(parent)\" that does not exist"
    }
}

extension DanglingComparison {
    /// A sentence about the new dangling rows, or nil if there are none.
    var sentence: String? {
        guard newCount > 0 else { return nil }
        let rest = newCount - new.count
        let text = new.map(\.words).joined(separator: "; ") + (rest > 0 ? "; and \(rest) more" : "")
        return "\(text.prefix(1).uppercased())\(text.dropFirst())."
    }

    /// Throws if there are new dangling rows.
    ///
    /// - Throws: ``StrongroomError`` with `constraint`; the message names table, row and parent of the first rows, and
    ///   the number of the others.
    func refuseNew() throws {
        guard let sentence, let first = new.first else { return }
        var error = StrongroomError(.constraint, sentence, database: connection.database)
        error.constraint = ConstraintFailure(kind: .foreignKey, table: first.table, parentTable: first.parent)
        throw error
    }
}
