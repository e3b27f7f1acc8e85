/// A foreign key as a table of the file declares it. See "PRAGMA foreign_key_list" (sqlite.org/pragma.html).
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
    /// Empty where the parent's primary key is meant.
    var parentColumns: [String] = []
    let onDelete: Action
}

extension Connection {
    /// All foreign keys of the file.
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

    /// Whether it makes no difference in which order rows of a table are deleted, nor whether one statement deletes
    /// them: no trigger sees it, and no row that a cascade reaches refers to more than one of those that are deleted.
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
                // What refers to the columns that become NULL is not followed.
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
