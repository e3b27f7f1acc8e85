/// A foreign key as declared by a table in the file. See "PRAGMA foreign_key_list" (sqlite.org/pragma.html).
struct DeclaredReference {
    enum Action: String {
        case none = "NO ACTION"
        case restrict = "RESTRICT"
        case cascade = "CASCADE"
        case setNull = "SET NULL"
        case setDefault = "SET DEFAULT"
    }

    let child: String
    var columns: [String] = []
    let parent: String
    /// Empty if the key refers to the parent's primary key.
    var parentColumns: [String] = []
    let onDelete: Action
}

extension Connection {
    /// All foreign keys in the file.
    func declaredReferences() throws -> [DeclaredReference] {
        let tables = try ownRows(
            "SELECT name FROM main.sqlite_master WHERE type = 'table' AND instr(lower(sql), 'references') > 0")
        return try tables.compactMap { $0[0].asText }.flatMap(references)
    }

    private func references(of child: String) throws -> [DeclaredReference] {
        var found: [Int64: DeclaredReference] = [:]
        for row in try ownRows("PRAGMA main.foreign_key_list(\(Identifier.quote(child)))") {
            guard let id = row[0].asInteger, let parent = row[2].asText, let column = row[3].asText else { continue }
            let action = row[6].asText.flatMap(DeclaredReference.Action.init) ?? .none
            found[id, default: DeclaredReference(child: child, parent: parent, onDelete: action)].columns.append(column)
            if let other = row[4].asText { found[id]?.parentColumns.append(other) }
        }
        return Array(found.values)
    }

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
        let keys = try declaredReferences()
        func isReached(_ name: String, _ reached: [String]) -> Bool { reached.contains { $0.isSameName(as: name) } }
        var reached = [table]
        var next = 0
        while next < reached.count {
            if try hasTriggers(reached[next]) { return false }
            for key in keys where Identifier.areSame(key.parent, reached[next]) {
                switch key.onDelete {
                case .none, .restrict: continue
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
