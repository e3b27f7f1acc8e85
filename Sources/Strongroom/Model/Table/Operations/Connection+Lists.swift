/// What is known of the tables that a list writes to.
private final class ListedTables {
    /// For each type of table the indices of its foreign keys among the record's columns; nil for one with triggers.
    var references: [ObjectIdentifier: [Int]?] = [:]
}

extension Connection {
    /// Runs the updates of a list: all of them or none.
    ///
    /// SQLite keeps what an UPDATE may have to undo by itself, behind what the savepoint may have to undo; since 3.36
    /// it walks through all that the savepoint has after each statement: 100,000 rows took 24 times as long as without
    /// one. `UPDATE OR FAIL` has nothing to undo. Where a constraint is violated, the list is undone and run once more
    /// in the ordinary form, in which a table's own ON CONFLICT clauses count and the failure is as for one record. See
    /// "Temporary Files Used By SQLite", section 2.5 (sqlite.org/tempfiles.html).
    ///
    /// - Parameters:
    ///   - count: The number of records; a short list is run in the ordinary form at once.
    ///   - body: May run twice, and has to begin with the records as they were.
    @usableFromInline
    func inList<T>(of count: Int, _ body: () throws -> T) throws -> T {
        guard list == nil, count > Self.shortList else { return try inSavepoint(body) }
        do {
            return try inSavepoint {
                list = ListedTables()
                defer { list = nil }
                return try body()
            }
        } catch let error as StrongroomError
            where error.code == .constraint && canGoOn
        {
            return try inSavepoint(body)
        }
    }

    /// What is known of the tables that the running list writes to; nil outside a list.
    private var list: ListedTables? {
        get { attachments[ListedTables.self] }
        set { attachments[ListedTables.self] = newValue }
    }

    /// Whether the transaction is still there after a failure.
    @usableFromInline var canGoOn: Bool { transaction.state == .open && isInTransaction }

    /// The number of records up to which it is not worth reading the table.
    private static let shortList = 16

    /// The positions of a table's foreign keys among a record's columns, read once for each list.
    ///
    /// - Parameter indices: Maps names of columns to indices.
    /// - Returns: Nil outside a list, and for a table with triggers, which are to run as for one record.
    @usableFromInline
    func referencesInList(_ type: Any.Type, _ table: String, _ indices: ([String]) -> [Int]) throws -> [Int]? {
        guard let list else { return nil }
        if let known = list.references[ObjectIdentifier(type)] { return known }
        let found = try hasTriggers(table) ? nil : indices(referringColumns(table))
        list.references.updateValue(found, forKey: ObjectIdentifier(type))
        return found
    }

    /// The columns of a table's foreign keys, and those to which others refer: to write one of them, also with the
    /// value that it has, the engine keeps what it may have to undo.
    private func referringColumns(_ table: String) throws -> [String] {
        try declaredReferences().joined().flatMap { key -> [String] in
            (Identifier.areSame(key.child, table) ? key.columns : [])
                + (Identifier.areSame(key.parent, table) ? key.parentColumns : [])
        }
    }
}

extension Connection {
    func hasTriggers(_ table: String) throws -> Bool {
        try ownValue(
            """
            SELECT 1
            FROM (SELECT type, tbl_name FROM main.sqlite_master UNION ALL SELECT type, tbl_name FROM sqlite_temp_master)
            WHERE type = 'trigger' AND tbl_name = ?1 COLLATE NOCASE
            """, .text(table)) != nil
    }

    /// Whether the rows of a table can be deleted in any order and by any number of statements with the same result: no
    /// trigger fires, and no row reached by a cascade refers to more than one of the deleted rows.
    func deletesInAnyOrder(_ table: String) throws -> Bool {
        let keys = try declaredReferences().flatMap { $0 }
        func isReached(_ name: String, _ reached: [String]) -> Bool { reached.contains { $0.isSameName(as: name) } }
        var reached = [table]
        var next = 0
        while next < reached.count {
            if try hasTriggers(reached[next]) { return false }
            for key in keys where Identifier.areSame(key.parent, reached[next]) {
                switch key.onDelete {
                case .noAction, .restrict: continue
                case .setDefault: return false
                // References to the columns that become NULL are not followed.
                case .setNull where keys.contains(where: { Identifier.areSame($0.parent, key.child) }): return false
                case .setNull, .cascade: if !isReached(key.child, reached) { reached.append(key.child) }
                }
            }
            next += 1
        }
        return reached.allSatisfy { name in
            let own = keys.filter { Identifier.areSame($0.child, name) && isReached($0.parent, reached) }
            return own.count == (Identifier.areSame(name, table) ? 0 : 1)
        }
    }
}
