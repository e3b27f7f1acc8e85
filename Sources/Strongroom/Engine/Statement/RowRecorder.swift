import CSQLCipher

/// Records which rows of some tables the transactions of a connection change, through the engine's update hook.
///
/// The hook is not called for rows of a table without row ids, of a virtual table, for rows that REPLACE deletes, when
/// all rows are deleted at once, and it reports only the new row id of a row whose row id changes. So a table counts
/// as changed in unknown rows if a statement or the schema mentions REPLACE, if a statement sets its key, and if the
/// engine has counted other changes than the hook was called for. See SQLite's documentation, "Data Change Notification
/// Callbacks" (sqlite.org/c3ref/update_hook.html).
final class RowRecorder: StatementObserver {  // guarded by the slot, as the connection is
    /// The recorded tables, in lower case.
    private(set) var tables: Set<String>
    private unowned let connection: Connection

    /// The rows that the running transaction has changed, in order.
    private var log: [(table: String, row: Int64)] = []
    /// Tables of the running transaction of which not every changed row is known.
    private var unknown: Set<String> = []
    /// How often the hook was called in the running transaction.
    private var calls = 0
    private var changesBefore = 0
    /// The engine's name of the table of the last call, and whether it is recorded.
    private var latest: (pointer: UnsafePointer<CChar>?, table: String?) = (nil, nil)
    private var schemaVersion: Value?
    private var schemaReplaces = false
    /// The tables whose keys are not their row ids.
    private var otherKeys: Set<String> = []
    /// What was committed since ``take(_:)``.
    private var committed: [String: ChangedRowIDs] = [:]

    /// Rows of a transaction that are recorded at most.
    static let most = 100_000

    init(_ tables: Set<String>, of connection: Connection) {
        self.tables = tables
        self.connection = connection
    }

    /// Lets the engine report rows.
    func install() {
        sqlite3_update_hook(
            connection.pointer,
            { context, _, schema, table, row in
                guard let context, let schema, let table else { return }
                Unmanaged<RowRecorder>.fromOpaque(context).takeUnretainedValue().note(schema, table, row)
            },
            Unmanaged.passUnretained(self).toOpaque())
        connection.observers.add(self)
    }

    func uninstall() {
        sqlite3_update_hook(connection.pointer, nil, nil)
        connection.observers.remove(self)
    }

    /// Records further tables.
    func add(_ tables: Set<String>) {
        self.tables.formUnion(tables)
        schemaVersion = nil
        latest = (nil, nil)
    }

    // MARK: The transaction

    /// Called when a transaction has begun.
    func begin() {
        log.removeAll(keepingCapacity: true)
        unknown = []
        calls = 0
        latest = (nil, nil)
        changesBefore = connection.totalChanges
        checkSchema()
    }

    /// Looks in a changed schema for REPLACE, and for tables whose key is not the row id.
    private func checkSchema() {
        do {
            let version = try connection.ownValue("PRAGMA schema_version")
            guard version != schemaVersion else { return }
            schemaVersion = nil
            otherKeys = tables
            let replacing = "SELECT count(*) FROM sqlite_master WHERE sql LIKE '%replace%'"
            schemaReplaces = try connection.ownValue(replacing) != .integer(0)
            otherKeys = try tables.filter { table in
                let keys = try connection.columnsOfKey(of: table)
                return keys.count != 1 || keys[0].name != connection.authorizer.keys[table]
                    || !keys[0].type.isSameName(as: "integer") || keys[0].isDescending
            }
            schemaVersion = version
        } catch {
            // The next transaction looks again.
            schemaReplaces = true
        }
    }

    /// A position in the rows of the transaction.
    var mark: Int { log.count }

    /// Called when the changes after a position have been rolled back.
    func undo(to mark: Int) {
        if mark < log.count { log.removeLast(log.count - mark) }
    }

    /// Records that rows of a table have changed which are not in the database.
    func noteUnknown(_ table: String) {
        unknown.insert(table)
    }

    /// Called when the transaction is committed.
    ///
    /// - Parameter writes: The tables that it has written.
    func commit(_ writes: Set<String>) {
        let isComplete =
            calls == connection.totalChanges - changesBefore && !schemaReplaces && log.count < Self.most
            && !writes.contains("sqlite_master")
        for table in tables.intersection(writes) {
            let isUnknown = unknown.contains(table) || otherKeys.contains(table)
            let isKnown = isComplete && !isUnknown && !writes.contains(Self.keyChange(of: table))
            committed[table, default: .rows([])].formUnion(isKnown ? .rows([]) : .unknown)
        }
        guard isComplete else { return }
        for (table, row) in log { committed[table, default: .rows([])].insert(row) }
    }

    /// What was committed since the last call.
    func take() -> [String: ChangedRowIDs] {
        defer { committed = [:] }
        return committed
    }

    /// What stands among the tables that a statement writes if it sets a table's row id; no table has such a name.
    static func keyChange(of table: String) -> String { "\(table)\0key" }

    // MARK: What the engine reports

    private func note(_ schema: UnsafePointer<CChar>, _ table: UnsafePointer<CChar>, _ row: Int64) {
        calls += 1
        if latest.pointer != table {
            let name = TableUse.name(table)
            latest = (table, String(cString: schema) == "main" && tables.contains(name) ? name : nil)
        }
        guard let name = latest.table, log.count < Self.most else { return }
        log.append((name, row))
    }

    func didUse(_ statement: Statement) {
        // The name of a table can be at another address now.
        latest = (nil, nil)
        guard !tables.isDisjoint(with: statement.tables.writes) else { return }
        let mentions = [SQLToken](sql: statement.sql).contains { $0.isWord("REPLACE") }
        if mentions { unknown.formUnion(statement.tables.writes) }
    }
}

/// The row ids of a table's rows that commits have changed.
enum ChangedRowIDs: Equatable {
    case rows(Set<Int64>)
    /// Any row may have changed.
    case unknown

    private static let most = RowRecorder.most

    mutating func insert(_ row: Int64) {
        guard case .rows(var rows) = self else { return }
        self = .unknown
        rows.insert(row)
        if rows.count <= Self.most { self = .rows(rows) }
    }

    mutating func formUnion(_ other: ChangedRowIDs) {
        guard case .rows(var rows) = self, case .rows(let added) = other else { return self = .unknown }
        rows.formUnion(added)
        self = rows.count <= Self.most ? .rows(rows) : .unknown
    }

    var isEmpty: Bool { self == .rows([]) }
}

extension Connection {
    /// The columns of a table's primary key; an integer key that is declared as descending is not the row id (see
    /// sqlite.org/lang_createtable.html#rowid).
    fileprivate func columnsOfKey(of table: String) throws -> [(name: String, type: String, isDescending: Bool)] {
        let sql = try ownValue("SELECT sql FROM sqlite_master WHERE type = 'table' AND lower(name) = ?", .text(table))
        guard case .text(let sql) = sql else { return [] }
        let isDescending = [SQLToken](sql: sql).contains { $0.isWord("DESC") }
        return try ownRows("PRAGMA table_info(\(Identifier.quote(table)))").compactMap { row in
            guard row.count > 5, case .text(let name) = row[1], case .text(let type) = row[2], row[5] != .integer(0)
            else { return nil }
            return (TableUse.name(name), type, isDescending)
        }
    }

    /// Records the rows that the next transactions change in some tables; to be called outside a transaction.
    ///
    /// - Parameter keys: The columns that are the row ids, by table, both in lower case; empty to record none.
    func recordRows(of keys: [String: String]) {
        let tables = Set(keys.keys)
        guard !tables.isEmpty else {
            rowRecorder.take()?.uninstall()
            return
        }
        if let rowRecorder, tables.isSubset(of: rowRecorder.tables) { return }
        // Statements are prepared again: the authorizer finds those that set a key.
        clearStatements()
        authorizer.keys.merge(keys) { $1 }
        guard let rowRecorder else {
            let recorder = RowRecorder(tables, of: self)
            recorder.install()
            rowRecorder = recorder
            return
        }
        rowRecorder.add(tables)
    }
}
