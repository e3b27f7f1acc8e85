import CSQLCipher

/// Records which rows of some tables the transactions of a connection change: through the engine's update hook where
/// the key is the row id, and through temporary triggers elsewhere.
///
/// The hook is not called for rows of a table without row ids, of a virtual table, for rows that REPLACE deletes, when
/// all rows are deleted at once, and it reports only the new row id of a row whose row id changes. So a table counts
/// as changed in unknown rows if a statement or the schema mentions REPLACE, if a statement sets its key, and if the
/// engine has counted for a statement other changes than the hook was called for: also if the transaction's sums are
/// equal, as where a statement has failed after some rows, and another one has deleted as many at once. Triggers fire
/// in each of these cases, except for rows that REPLACE deletes. See SQLite's documentation, "Data Change Notification
/// Callbacks" (sqlite.org/c3ref/update_hook.html).
final class RowRecorder: StatementObserver {  // guarded by the slot, as the connection is
    /// The recorded tables, in lower case, and their keys.
    private(set) var keys: [String: ObservedKey]
    private unowned let connection: Connection

    /// The rows that the running transaction has changed, in order.
    private var log: [(table: String, row: ChangedRow)] = []
    /// Tables of the running transaction of which not every changed row is known.
    private var unknown: Set<String> = []
    /// How often the hook was called in the running transaction.
    private var calls = 0
    /// The changes that the engine had counted when ``calls`` was 0.
    private var changesBefore = 0
    /// Whether the engine has counted other changes for a statement than it has reported.
    private var isUneven = false
    /// The engine's name of the table of the last call, and whether it is recorded.
    private var latest: (pointer: UnsafePointer<CChar>?, table: String?) = (nil, nil)
    private var schemaVersion: Value?
    private var schemaReplaces = false
    /// The tables whose keys are not their row ids and that have no triggers.
    private var otherKeys: Set<String> = []
    /// The tables with temporary triggers, and the version of the schema for which these were created.
    private var triggered: (tables: Set<String>, version: Value?) = ([], nil)
    /// What was committed since ``removeCommitted()``.
    private var committed: [String: ChangedRowIDs] = [:]

    /// Rows of a transaction that are recorded at most.
    static let most = 100_000

    init(_ keys: [String: ObservedKey], of connection: Connection) {
        self.keys = keys
        self.connection = connection
    }

    /// Lets the engine report rows.
    func install() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_update_hook(
            connection.pointer,
            { context, _, schema, table, row in
                guard let context, let schema, let table else { return }
                Unmanaged<RowRecorder>.fromOpaque(context).takeUnretainedValue().record(schema, table, row)
            },
            context)
        // Without it, statements of tables with triggers fail; the triggers are created by statements that need it.
        sqlite3_create_function_v2(
            connection.pointer, Self.function, -1, SQLITE_UTF8 | RegisteredFunction.trusted, context, Self.call, nil,
            nil, nil)
        connection.observers.add(self)
    }

    /// - Returns: Whether the engine reports no rows any more.
    func uninstall() -> Bool {
        guard (try? dropTriggers()) != nil else { return false }
        sqlite3_create_function_v2(connection.pointer, Self.function, -1, SQLITE_UTF8, nil, nil, nil, nil, nil)
        sqlite3_update_hook(connection.pointer, nil, nil)
        connection.observers.remove(self)
        return true
    }

    /// Records further tables.
    func add(_ keys: [String: ObservedKey]) {
        self.keys.merge(keys) { $1 }
        triggered.version = nil
        schemaVersion = nil
        latest = (nil, nil)
    }

    // MARK: Tables whose key is not the row id

    private static let function = "strongroom_changed_row"

    private static let call: @convention(c) (OpaquePointer?, Int32, FunctionArguments.Values?) -> Void = {
        context, count, values in
        guard let context, let recorder = sqlite3_user_data(context) else { return }
        Unmanaged<RowRecorder>.fromOpaque(recorder).takeUnretainedValue().record(
            FunctionArguments(context, values, count))
    }

    /// Called by a trigger, with the table and the values of the key.
    private func record(_ arguments: FunctionArguments) {
        arguments.setNull()
        let row = Row(arguments)
        guard log.count < Self.most else { return }
        do {
            log.append((try row.text(at: 0), .key(try (1..<max(1, arguments.count)).map { try row.value(at: $0) })))
        } catch {
            // A row of one of these tables.
            unknown.formUnion(triggered.tables)
        }
    }

    /// Creates the triggers for the present schema; to be called outside a transaction. If that fails, changed rows are
    /// unknown.
    func updateTriggers() {
        do {
            let version = try connection.ownValue("PRAGMA schema_version")
            guard version != triggered.version else { return }
            try dropTriggers()
            schemaVersion = nil
            for table in keys.keys where try !hasRowIDKey(table) {
                let present = try connection.columnsOfKey(of: table).map(\.name)
                guard let columns = keys[table]?.columns, !columns.isEmpty, Set(columns) == Set(present) else {
                    continue
                }
                // Before, so that those of a table that fails half way are dropped.
                triggered.tables.insert(table)
                for trigger in Self.triggers(of: table, columns) { try connection.run(trigger) }
            }
            triggered.version = version
        } catch {
            try? dropTriggers()
        }
    }

    private func dropTriggers() throws {
        for table in triggered.tables {
            for name in ["insert", "update", "delete"].map({ Self.trigger($0, of: table) }) {
                try connection.run("DROP TRIGGER IF EXISTS temp.\(name)")
            }
        }
        triggered = ([], nil)
    }

    private static func trigger(_ event: String, of table: String) -> String {
        Identifier.quote("strongroom_rows_\(event)_\(table)")
    }

    private static func triggers(of table: String, _ columns: [String]) -> [String] {
        [("insert", ["new"]), ("update", ["old", "new"]), ("delete", ["old"])].map { event, rows in
            let calls = rows.map { row in
                let values = columns.map { "\(row).\(Identifier.quote($0))" }
                let list = ([Value.text(table).literal] + values).joined(separator: ", ")
                return "\(function)(\(list))"
            }
            return """
                CREATE TEMP TRIGGER \(trigger(event, of: table)) AFTER \(event) ON main.\(Identifier.quote(table)) \
                BEGIN SELECT \(calls.joined(separator: ", ")); END
                """
        }
    }

    // MARK: The transaction

    /// Called when a transaction has begun.
    func begin() {
        log.removeAll(keepingCapacity: true)
        unknown = []
        calls = 0
        isUneven = false
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
            otherKeys = Set(keys.keys)
            let replacing = "SELECT count(*) FROM sqlite_master WHERE sql LIKE '%replace%'"
            schemaReplaces = try connection.ownValue(replacing) != .integer(0)
            let hasTriggers = triggered.version == version
            otherKeys = try otherKeys.filter { table in
                if hasTriggers, triggered.tables.contains(table) { return false }
                return try !hasRowIDKey(table)
            }
            schemaVersion = version
        } catch {
            // The next transaction looks again.
            schemaReplaces = true
        }
    }

    private func hasRowIDKey(_ table: String) throws -> Bool {
        let columns = try connection.columnsOfKey(of: table)
        return keys[table]?.isRowID == true && columns.count == 1 && columns[0].name == keys[table]?.columns.first
            && columns[0].type.isSameName(as: "integer") && !columns[0].isDescending
    }

    /// A position in the rows of the transaction.
    var mark: Int { log.count }

    /// Called when the changes after a position have been rolled back.
    func undo(to mark: Int) {
        if mark < log.count { log.removeLast(log.count - mark) }
    }

    /// Records that rows of a table have changed which are not in the database.
    func recordUnknown(_ table: String) {
        unknown.insert(table)
    }

    /// Called when the transaction is committed.
    ///
    /// - Parameter writes: The tables that it has written.
    func commit(_ writes: Set<String>) {
        checkCount()
        let isComplete = !schemaReplaces && log.count < Self.most && !writes.contains("sqlite_master")
        for table in Set(keys.keys).intersection(writes) {
            let isUnknown = unknown.contains(table) || otherKeys.contains(table)
            let isReported =
                triggered.tables.contains(table) || !isUneven && !writes.contains(Self.keyChange(of: table))
            let isKnown = isComplete && !isUnknown && isReported
            committed[table, default: .rows([])].formUnion(isKnown ? .rows([]) : .unknown)
        }
        guard isComplete else { return }
        for (table, row) in log { committed[table, default: .rows([])].insert(row) }
    }

    /// Compares the changes that the engine has counted since the last comparison with those that it has reported.
    private func checkCount() {
        let changes = connection.totalChanges
        if calls != changes - changesBefore { isUneven = true }
        (calls, changesBefore) = (0, changes)
    }

    /// What was committed since the last call.
    func removeCommitted() -> [String: ChangedRowIDs] {
        defer { committed = [:] }
        return committed
    }

    /// The name recorded among the tables that a statement writes if it sets a table's row id; no table has such a
    /// name.
    static func keyChange(of table: String) -> String { "\(table)\0key" }

    // MARK: What the engine reports

    private func record(_ schema: UnsafePointer<CChar>, _ table: UnsafePointer<CChar>, _ row: Int64) {
        calls += 1
        if latest.pointer != table {
            let name = TableUse.name(table)
            let isRecorded = String(cString: schema) == "main" && keys[name] != nil && !triggered.tables.contains(name)
            latest = (table, isRecorded ? name : nil)
        }
        guard let name = latest.table, log.count < Self.most else { return }
        log.append((name, .id(row)))
    }

    func willRun(_ statement: Statement, isOwn: Bool) { checkCount() }

    func didUse(_ statement: Statement) {
        // The name of a table can be at another address now.
        latest = (nil, nil)
        guard statement.tables.writes.contains(where: { keys[$0] != nil }) else { return }
        let mentions = [SQLToken](sql: statement.sql).contains { $0.isWord("REPLACE") }
        if mentions { unknown.formUnion(statement.tables.writes) }
    }
}

extension Connection {
    /// The columns of a table's primary key; an integer key that is declared as descending is not the row id (see
    /// sqlite.org/lang_createtable.html#rowid).
    fileprivate func columnsOfKey(of table: String) throws -> [(name: String, type: String, isDescending: Bool)] {
        guard let sql = try schemaText(of: .table, table) else { return [] }
        let isDescending = [SQLToken](sql: sql).contains { $0.isWord("DESC") }
        return try ownRows("PRAGMA table_info(\(Identifier.quote(table)))").compactMap { row in
            guard row.count > 5, case .text(let name) = row[1], case .text(let type) = row[2], row[5] != .integer(0)
            else { return nil }
            return (TableUse.name(name), type, isDescending)
        }
    }

    /// Records the rows that the next transactions change in some tables; to be called outside a transaction.
    ///
    /// - Parameter keys: The keys, by table in lower case; empty to record none.
    func recordRows(of keys: [String: ObservedKey]) {
        guard !keys.isEmpty else {
            if rowRecorder?.uninstall() == true { rowRecorder = nil }
            return
        }
        if rowRecorder == nil || keys.contains(where: { rowRecorder?.keys[$0] != $1 }) {
            // Statements are prepared again: the authorizer finds those that set a key.
            clearStatements()
            authorizer.keys.merge(keys.filter(\.value.isRowID).compactMapValues(\.columns.first)) { $1 }
            if let rowRecorder {
                rowRecorder.add(keys)
            } else {
                let recorder = RowRecorder(keys, of: self)
                recorder.install()
                rowRecorder = recorder
            }
        }
        rowRecorder?.updateTriggers()
    }
}

/// The key of a table whose changed rows are observed.
struct ObservedKey: Equatable {
    /// The columns in the declared order, in lower case.
    let columns: [String]
    /// Whether it is declared as the row id.
    let isRowID: Bool
}

/// A row that has changed: its row id, or the values of its key.
enum ChangedRow: Hashable {
    case id(Int64)
    case key([Value])
}

/// The rows of a table that commits have changed.
enum ChangedRowIDs: Equatable {
    case rows(Set<ChangedRow>)
    /// Any row may have changed.
    case unknown

    private static let most = RowRecorder.most

    mutating func insert(_ row: ChangedRow) {
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
