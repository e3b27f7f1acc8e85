struct SchemaEntry: Sendable {
    enum Kind: String {
        case table, index, trigger, view
    }

    let kind: Kind
    let name: String
    /// The table that it belongs to; its own name for a table or a view.
    let table: String
    /// Empty for an index that a constraint has created.
    private(set) var sql: String
    /// Its root page; 0 if it has none.
    let page: Int
    /// Whether it is in the connection's `temp` schema.
    var isTemporary = false

    var tokens: [SQLToken] { [SQLToken](sql: sql) }

    var creation: String {
        guard isTemporary, sql.asciiFolded.hasPrefix("create trigger") else { return sql }
        return "CREATE TEMP TRIGGER" + sql.dropFirst("create trigger".count)
    }

    /// The same entry with another text; nil if that is the text it has.
    func with(_ sql: String) -> SchemaEntry? {
        guard sql != self.sql else { return nil }
        var copy = self
        copy.sql = sql
        return copy
    }

    var title: String { "\(kind.rawValue) \"\(name)\"" }
}

extension Connection {
    /// All entries of the schema that have SQL text.
    func schemaEntries(temporary: Bool = false) throws -> [SchemaEntry] {
        try allSchemaEntries(temporary: temporary).filter { !$0.sql.isEmpty && !Self.records.contains($0.name) }
    }

    /// All entries of the schema, in the order of creation.
    func allSchemaEntries(temporary: Bool = false) throws -> [SchemaEntry] {
        var entries: [SchemaEntry] = []
        let source = temporary ? "sqlite_temp_master" : "sqlite_master"
        let query = "SELECT type, name, tbl_name, sql, rootpage FROM \(source) ORDER BY rowid"
        try withOwnStatement(query) { statement in
            let row = Row(statement)
            while try statement.step() {
                guard let kind = SchemaEntry.Kind(rawValue: try row.text(at: 0)) else { continue }
                entries.append(
                    SchemaEntry(
                        kind: kind, name: try row.text(at: 1), table: try row.text(at: 2),
                        sql: try row.textIfPresent(at: 3) ?? "", page: Int(try row.integerIfPresent(at: 4) ?? 0),
                        isTemporary: temporary))
            }
        }
        return entries
    }

    func tableEntry(_ name: String, in entries: [SchemaEntry]) throws -> SchemaEntry {
        guard let entry = entries.first(where: { $0.kind == .table && Identifier.areSame($0.name, name) }) else {
            throw failure(.sql, "no such table: \(name).")
        }
        return entry
    }

    func failure(_ code: StrongroomError.Code, _ message: String) -> StrongroomError {
        StrongroomError(code, message, database: database)
    }

    func refusal(_ message: String) -> StrongroomError {
        StrongroomError(.schemaChange, message, database: database)
    }

    /// Rewrites texts in the schema table and makes the engine read the schema again.
    ///
    /// For changes that do not affect the rows; see "ALTER TABLE", section 7 (sqlite.org/lang_altertable.html).
    func rewriteSchema(_ changed: [SchemaEntry]) throws {
        guard !changed.isEmpty else { return }
        try writingSchema {
            for entry in changed {
                try run(
                    "UPDATE sqlite_master SET sql = ? WHERE type = ? AND name = ?", .text(entry.sql),
                    .text(entry.kind.rawValue), .text(entry.name))
            }
            guard case .integer(let version)? = try ownValue("PRAGMA schema_version") else { return }
            try run("PRAGMA schema_version = \(version + 1)")
        }
        // A rollback to a savepoint discards the engine's cached schema.
        try run("SAVEPOINT strongroom")
        try run("ROLLBACK TO strongroom")
        try run("RELEASE strongroom")
        do {
            try readSchema()
        } catch let error as StrongroomError where [.damaged, .newerSchema].contains(error.code) {
            throw refusal(
                "The engine cannot read the schema with the new name (\(error.message)); nothing was changed.")
        }
    }

    /// All foreign keys in the file, grouped by their tables.
    func declaredReferences() throws -> [[DeclaredReference]] {
        try schemaNames(where: "instr(lower(sql), 'references') > 0 ORDER BY rowid").map(references)
    }

    private func references(of child: String) throws -> [DeclaredReference] {
        var found: [Int64: DeclaredReference] = [:]
        for row in try ownRows("PRAGMA main.foreign_key_list(\(Identifier.quote(child)))") {
            guard let id = row[0].asInteger, let parent = row[2].asText, let column = row[3].asText else { continue }
            let action = row[6].asText.flatMap(ReferenceAction.init) ?? .noAction
            found[id, default: DeclaredReference(child: child, parent: parent, onDelete: action)].columns.append(column)
            if let other = row[4].asText { found[id]?.parentColumns.append(other) }
        }
        return found.sorted { $0.key < $1.key }.map(\.value)
    }
}

/// A foreign key as declared by a table in the file. See "PRAGMA foreign_key_list" (sqlite.org/pragma.html).
struct DeclaredReference {
    let child: String
    fileprivate(set) var columns: [String] = []
    let parent: String
    /// Empty if the key refers to the parent's primary key.
    fileprivate(set) var parentColumns: [String] = []
    let onDelete: ReferenceAction

    /// Whether deleting a row deletes or changes the rows that reference it.
    var isActing: Bool { [.cascade, .setNull, .setDefault].contains(onDelete) }
}

extension Connection {
    /// Changes the schema.
    ///
    /// - Returns: The views and triggers that the change broke, each with the engine's message, in the order of the
    ///   schema. They are identified by name, because their text contains columns, which may have been renamed.
    func brokenObjects(by change: () throws -> Void) throws -> [(entry: SchemaEntry, message: String)] {
        let known = Set(try brokenObjects().map { SQLName($0.entry.title) })
        try change()
        return try brokenObjects().filter { !known.contains(SQLName($0.entry.title)) }
    }

    /// The views and triggers that the engine cannot use, determined by preparing statements that read or fire them.
    private func brokenObjects() throws -> [(entry: SchemaEntry, message: String)] {
        let entries = try schemaEntries()
        return entries.filter { $0.kind == .view }.compactMap { view in
            objection(to: "EXPLAIN SELECT * FROM \(Identifier.quote(view.name))").map { (view, $0) }
        }
            + entries.filter { $0.kind == .trigger }.compactMap { trigger in
                objection(to: firing(trigger)).map { (trigger, $0) }
            }
    }

    /// A statement that fires a trigger; a trigger on a view can only be checked this way.
    private func firing(_ trigger: SchemaEntry) -> String {
        let table = Identifier.quote(trigger.table)
        let event = [SQLToken](sql: trigger.sql).first { $0.isWord("DELETE", "INSERT", "UPDATE") }?.text.uppercased()
        switch event {
        case "DELETE": return "EXPLAIN DELETE FROM \(table)"
        case "INSERT": return "EXPLAIN INSERT INTO \(table) DEFAULT VALUES"
        default:
            let columns = (try? columnInfos(of: trigger.table).filter { $0.generated == nil }) ?? []
            let assignments = columns.map { "\(Identifier.quote($0.name)) = \(Identifier.quote($0.name))" }
            return "EXPLAIN UPDATE \(table) SET \(assignments.joined(separator: ", "))"
        }
    }
}

/// The name of the database that a file belongs to, recorded in the file, so that another database's file in its place
/// is noticed.
///
/// It is the text of a view, which is authenticated and encrypted with the schema, comes along with every copy of the
/// file, and takes no page. The view is never evaluated, and ``schemaEntries(temporary:)`` omits it, so that no change
/// of a table rewrites it.
extension Connection {
    private static let viewOfName = "strongroom_database"
    /// The views that are records of the library.
    fileprivate static let records = [viewOfName, DataKeyRecord.view]
    private static let beginningOfView = Array("CREATE VIEW \(viewOfName) AS SELECT '".utf8)
    private static let endOfView = Array("' AS name".utf8)
    private static let quotationMark = UInt8(ascii: "'")

    /// Whether the file has an object besides the records; one without is new to a migrator.
    var hasObjects: Bool {
        get throws {
            let records = Self.records.map { "'\($0)'" }.joined(separator: ", ")
            return try ownValue("SELECT 1 FROM sqlite_master WHERE name NOT IN (\(records)) LIMIT 1") != nil
        }
    }

    /// The recorded name; nil if there is none.
    func recordedName() throws -> String? {
        // In a transaction, whose end reports damage that would be read as no record.
        let sql = try inSnapshot { try schemaText(of: .view, Self.viewOfName) }
        // By bytes, since a combining character may follow a quotation mark.
        guard let text = sql else { return nil }
        let bytes = Array(text.utf8)
        let body = bytes.dropFirst(Self.beginningOfView.count).dropLast(Self.endOfView.count)
        guard bytes.elementsEqual(Self.beginningOfView + body + Self.endOfView) else { return nil }
        var isDoubled = false
        let name = body.filter { byte in
            isDoubled = byte == Self.quotationMark && !isDoubled
            return !isDoubled
        }
        return String(decoding: name, as: UTF8.self)
    }

    /// Records a name in place of the previous one.
    func recordName(_ name: String) throws {
        let body = name.utf8.flatMap { $0 == Self.quotationMark ? [$0, $0] : [$0] }
        let text = String(decoding: Self.beginningOfView + body + Self.endOfView, as: UTF8.self)
        try replaceView(Self.viewOfName, text)
    }

    /// Replaces a view that is a record, in the open transaction or in one of its own.
    func replaceView(_ name: String, _ text: String) throws {
        guard isInTransaction else { return try inTransaction(.immediate) { try replaceView(name, text) } }
        try run("DROP VIEW IF EXISTS \(name)")
        try run(text)
    }
}
