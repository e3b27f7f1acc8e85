/// The rows whose foreign keys reference no row, at one time; a later comparison finds the new ones.
///
/// A row is identified by its table, its row id and the values of the foreign key. If the table was renamed or rebuilt
/// in between, row ids and names may differ; what they do not find is compared by its values alone. Of each row only
/// hashes are kept: if a parent table is lost, all rows of its child table are included.
struct DanglingRows {
    /// The rows by foreign key, also for foreign keys without such rows.
    fileprivate private(set) var rows: [StoredReference.Identity: (key: StoredReference, hashes: [RowHashes])] = [:]
    /// The tables with foreign keys that the engine cannot check, since they reference columns that are not unique.
    fileprivate private(set) var unchecked: Set<SQLName> = []

    /// Reads the dangling rows of a file, or of a table and those that reference it; none if it is known to have none.
    init(_ connection: Connection, around table: String? = nil, isIntact: Bool = false) throws {
        for keys in try connection.storedReferences(around: table) {
            for key in keys { rows[key.identity] = (key, []) }
            guard !isIntact, let child = keys.first?.child else { continue }
            switch try connection.danglingState(of: child) {
            case .none: continue
            case .unknown: unchecked.insert(SQLName(child))
            case .some:
                for key in keys {
                    try connection.forEachDanglingRow(key) { rows[key.identity]?.hashes.append($1) }
                }
            }
        }
    }
}

/// The dangling rows at a later time, split into new and existing ones.
struct DanglingComparison {
    /// The first of the new dangling rows, as many as a message names.
    private(set) var new: [DanglingRow] = []
    private(set) var newCount = 0
    /// The first hundred of the dangling rows that existed before.
    private(set) var old: [DanglingRow] = []
    private(set) var oldCount = 0
    /// Whether the engine could check all foreign keys.
    private(set) var isComplete = true

    private let before: DanglingRows
    private let connection: Connection

    init(since before: DanglingRows, _ connection: Connection, around table: String? = nil) throws {
        self.before = before
        self.connection = connection
        let keys = try connection.storedReferences(around: table)
        // How many rows with each hash have not been found again.
        var known: [Int: Int] = [:]
        let present = Dictionary(keys.flatMap { $0 }.map { ($0.identity, $0) }) { first, _ in first }
        for (identity, previous) in before.rows {
            let isSameTable = present[identity]?.rootPage == previous.key.rootPage
            for hashes in previous.hashes {
                known[hashes.row, default: 0] += 1
                if !isSameTable { known[hashes.values, default: 0] += 1 }
            }
        }
        var moved: [(key: StoredReference, rows: [MovedRow])] = []
        for keys in keys {
            guard let child = keys.first?.child else { continue }
            switch try connection.danglingState(of: child) {
            case .none: continue
            case .unknown:
                isComplete = false
                try checkUnknown(keys)
            case .some: for key in keys { try compare(key, &known, &moved) }
            }
        }
        for (key, rows) in moved {
            for row in rows { count(key, row.rowID, isKnown: Self.take(row.values, &known)) }
        }
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

    /// A row of a rebuilt table that did not dangle under its row id.
    private typealias MovedRow = (rowID: Int64?, values: Int)

    /// Compares by row id and values; what remains of a table that was rebuilt is to be compared by its values alone.
    private mutating func compare(
        _ key: StoredReference, _ known: inout [Int: Int], _ moved: inout [(key: StoredReference, rows: [MovedRow])]
    ) throws {
        let isSameTable = before.rows[key.identity]?.key.rootPage == key.rootPage
        var rest: [MovedRow] = []
        try connection.forEachDanglingRow(key) { rowID, hashes in
            if Self.take(hashes.row, &known) {
                if !isSameTable { _ = Self.take(hashes.values, &known) }
                count(key, rowID, isKnown: true)
            } else if isSameTable {
                count(key, rowID, isKnown: false)
            } else {
                rest.append((rowID, hashes.values))
            }
        }
        moved.append((key, rest))
    }

    private static func take(_ hash: Int, _ known: inout [Int: Int]) -> Bool {
        guard let left = known[hash], left > 0 else { return false }
        known[hash] = left - 1
        return true
    }

    private mutating func count(_ key: StoredReference, _ rowID: Int64?, isKnown: Bool) {
        let found = DanglingRow(table: key.child, rowID: rowID, parent: key.parent)
        if isKnown {
            oldCount += 1
            if old.count < 100 { old.append(found) }
        } else {
            newCount += 1
            if new.count < 10 { new.append(found) }
        }
    }

    var sentence: String? {
        guard newCount > 0 else { return nil }
        let rest = newCount - new.count
        let text = new.map(\.sentence).joined(separator: "; ") + (rest > 0 ? "; and \(rest) more" : "")
        return "\(text.prefix(1).uppercased())\(text.dropFirst())."
    }

    func refuseNew() throws {
        guard let sentence, let first = new.first else { return }
        var error = StrongroomError(.constraint, sentence, database: connection.database)
        error.constraint = ConstraintFailure(kind: .foreignKey, table: first.table, parentTable: first.parent)
        throw error
    }
}

/// A row with a dangling foreign key; the row id is nil if the table has none.
struct DanglingRow {
    let table: String
    let rowID: Int64?
    let parent: String

    fileprivate var sentence: String {
        let number = rowID.map { " \($0)" } ?? ""
        return "row\(number) of table \"\(table)\" references a row of \"\(parent)\" that does not exist"
    }
}

/// The hash of the foreign key, the row id and the values, and that of the values.
private typealias RowHashes = (row: Int, values: Int)

private struct StoredReference {
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
    /// The primary key, for a table without such a name.
    let keyColumns: [String]

    init(_ key: DeclaredReference, _ rootPage: Int64, _ connection: Connection) throws {
        (child, columns, parent) = (key.child, key.columns, key.parent)
        self.rootPage = rootPage
        let parentInfos = try connection.columnInfos(of: key.parent)
        let declared = key.parentColumns.isEmpty ? parentInfos.keys.map(\.name) : key.parentColumns
        parentColumns = parentInfos.isEmpty ? [] : declared
        rowID = try connection.rowIDName(of: key.child)
        keyColumns = try rowID == nil ? connection.columnInfos(of: key.child).keys.map(\.name) : []
    }

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
    fileprivate enum DanglingState {
        case none, some
        /// A foreign key references columns that are not unique.
        case unknown
    }

    fileprivate func danglingState(of table: String) throws -> DanglingState {
        do {
            return try withOwnStatement("PRAGMA foreign_key_check(\(Identifier.quote(table)))") { statement in
                try statement.step() ? .some : .none
            }
        } catch let error as StrongroomError where error.code == .sql {
            return .unknown
        }
    }

    /// The foreign keys of the file's tables, or of a table and those that reference it, grouped by table.
    fileprivate func storedReferences(around table: String?) throws -> [[StoredReference]] {
        try declaredReferences().compactMap { keys -> [StoredReference]? in
            guard let child = keys.first?.child else { return nil }
            let isWanted = table.map { wanted in
                Identifier.areSame(child, wanted) || keys.contains { Identifier.areSame($0.parent, wanted) }
            }
            guard isWanted ?? true else { return nil }
            let page = try ownValue(
                "SELECT rootpage FROM main.sqlite_master WHERE type = 'table' AND name = ?", .text(child))
            return try keys.map { try StoredReference($0, page?.asInteger ?? 0, self) }
        }
    }

    /// Calls a closure for each dangling row of a foreign key.
    ///
    /// - Parameter body: Called with the row id, in ascending order, or nil if there is none, and the hashes.
    fileprivate func forEachDanglingRow(_ key: StoredReference, _ body: (Int64?, RowHashes) throws -> Void) throws {
        let identity = key.identity
        try withOwnStatement(key.query) { statement in
            let row = Row(statement)
            while try statement.step() {
                let rowID = key.rowID == nil ? nil : try row.integer(at: 0)
                var (all, values) = (Hasher(), Hasher())
                all.combine(identity)
                all.combine(rowID)
                for index in 1..<row.count {
                    let (kind, bytes) = try row.value(at: index).written
                    all.combine(kind)
                    all.combine(bytes)
                    values.combine(kind)
                    values.combine(bytes)
                }
                try body(rowID, (all.finalize(), values.finalize()))
            }
        }
    }
}

extension SQLValue {
    /// The kind and the bytes of the value, with a number as its text: a change of the column's type converts one to
    /// the other.
    fileprivate var written: (kind: UInt8, bytes: [UInt8]) {
        switch self {
        case .null: (0, [])
        case .integer(let number): (1, Array(String(number).utf8))
        case .real(let number): (1, Array((Int64(exactly: number).map { String($0) } ?? String(number)).utf8))
        case .text(let text): (1, Array(text.utf8))
        case .blob(let content): (2, content)
        }
    }
}
