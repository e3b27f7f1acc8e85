/// A full-text index that a file has, as its schema says.
struct StoredFullText {
    let name: String
    var table: String
    var columns: [String]
    let tokenizer: String
    let prefixes: [Int]
    let usesFTS5: Bool

    /// The name in the declaration, also if the table has been renamed by SQL: it has no full stop.
    var indexName: String { name.split(separator: ".").last.map(String.init) ?? name }

    /// The full-text indexes of a file, or of one table, which may be missing.
    static func all(in entries: [SchemaEntry], of table: String? = nil) -> [StoredFullText] {
        entries.compactMap { view in
            guard view.kind == .view, view.name.hasPrefix(FullTextTable.prefix), view.name.hasSuffix("_rows"),
                let found = StoredFullText(String(view.name.dropLast("_rows".count)), view, entries),
                table.map({ Identifier.areSame($0, found.table) }) ?? true
            else { return nil }
            return found
        }
    }

    private init?(_ name: String, _ view: SchemaEntry, _ entries: [SchemaEntry]) {
        let found = Self.indexed(in: view.sql)
        guard !found.columns.isEmpty, let table = found.table else { return nil }
        self.name = name
        self.table = table
        tokenizer = found.tokenizer
        columns = found.columns
        let index =
            entries.first { $0.kind == .table && Identifier.areSame($0.name, name) }?.tokens
            .filter { $0.kind != .space } ?? []
        usesFTS5 = index.contains { $0.isWord("FTS5") }
        let prefix = index.firstIndex { $0.isWord("PREFIX") }
        prefixes =
            prefix.flatMap { $0 + 2 < index.count ? SQLToken.unquoted(index[$0 + 2].text) : nil }?
            .split { !$0.isNumber }.compactMap { Int($0) } ?? []
    }

    /// What the view of an index has the words of.
    static func indexed(in view: String) -> (table: String?, tokenizer: String, columns: [String]) {
        if let known = known.withLock({ $0[view] }) { return known }
        let indexed = parsed(view)
        known.withLock { known in
            if known.count >= 256 { known.removeAll() }
            known[view] = indexed
        }
        return indexed
    }

    /// Each search asks for its view's.
    private static let known = Locked<[String: (table: String?, tokenizer: String, columns: [String])]>([:])

    private static func parsed(_ view: String) -> (table: String?, tokenizer: String, columns: [String]) {
        let tokens = [SQLToken](sql: view).filter { $0.kind != .space }
        // strongroom_words ( 'standard-1' , t . `title` )
        let calls = tokens.indices.filter { tokens[$0].isNamed(FullTextTable.function) && $0 + 6 < tokens.count }
        let columns = calls.compactMap { tokens[$0 + 6].name }
        guard let first = calls.first, columns.count == calls.count, tokens[first + 2].kind == .literal else {
            return (nil, "", [])
        }
        // `note` AS t
        let source = tokens.indices.first { position in
            tokens[position].isWord("AS") && position > 0 && position + 1 < tokens.count
                && tokens[position + 1].isNamed("t")
        }
        return (source.flatMap { tokens[$0 - 1].name }, SQLToken.unquoted(tokens[first + 2].text), columns)
    }
}

extension FullTextTable {
    /// An index as a file's table would have it.
    ///
    /// - Throws: ``StrongroomError`` with `schemaChange` if the table cannot have it.
    init(
        _ index: String, of table: String, columns: [String], tokenizer: String, prefixes: [Int],
        _ connection: Connection, _ entries: [SchemaEntry]
    ) throws {
        func refusal(_ message: String) -> StrongroomError {
            connection.refusal(
                "Table \"\(table)\" cannot have the full-text index \"\(index)\": \(message) Nothing was changed.")
        }
        let entry = try connection.tableEntry(table, in: entries)
        guard let text = CreateTableText(entry.sql) else { throw refusal("it is a virtual table.") }
        let infos = try connection.columnInfos(of: entry.name)
        let names = infos.filter { !$0.isHidden }.map(\.name)
        let found = try columns.map { column in
            guard let position = Identifier.index(of: column, in: names) else {
                throw refusal("it has no column \"\(column)\"; correct the name.")
            }
            return names[position]
        }
        let keys = infos.keys
        guard !keys.isEmpty else { throw refusal("it has no primary key; declare one.") }
        let features = try EngineFeatures.current()
        guard features.hasFullText else {
            throw connection.failure(
                .notSupported,
                """
                The linked engine has neither FTS5 nor FTS4, so table "\(table)" cannot have a full-text index; link \
                an SQLCipher with one of them. Nothing was changed.
                """)
        }
        name = Self.name(of: index, table: entry.name)
        self.table = entry.name
        self.columns = found
        self.tokenizer = tokenizer
        self.prefixes = prefixes
        usesFTS5 = features.hasFTS5
        self.keys = keys
        rowID = try connection.rowIDColumn(of: entry.name, infos, text)?.name
        let byKey = try connection.indexInfos(of: entry.name).first { index in
            index.isUnique && !index.isExplicit
                && Identifier.areSame(index.parts.compactMap(\.column), keys.map(\.name))
        }
        keyCollations = keys.map { key in
            byKey?.parts.first { $0.column.map { Identifier.areSame($0, key.name) } ?? false }?.collation ?? .binary
        }
        replaced = try connection.replacedRows(of: entry.name, infos, rowID: rowID)
    }

    init(_ index: FullTextIndex, of table: String, _ connection: Connection, _ entries: [SchemaEntry]) throws {
        try index.check(table)
        try self.init(
            index.name, of: table, columns: index.columns, tokenizer: index.tokenizer.rule, prefixes: index.prefixes,
            connection, entries)
    }

    /// The same index as a file has it, as it would be created now.
    init(_ stored: StoredFullText, _ connection: Connection, _ entries: [SchemaEntry]) throws {
        try self.init(
            stored.indexName, of: stored.table, columns: stored.columns, tokenizer: stored.tokenizer,
            prefixes: stored.prefixes, connection, entries)
    }

    /// Whether a file has the index with all of its words: everything but the triggers.
    func isStored(in entries: [SchemaEntry]) -> Bool {
        let names = ["\(name)_pending"] + (rowID == nil ? ["\(name)_keys"] : []) + ["\(name)_rows", name]
        return Self.haveTexts(entries, zip(names, creation))
    }

    /// Whether a file has the triggers, and those that run before a change are the last to do so: the engine runs the
    /// most recently created trigger first.
    func hasTriggers(in entries: [SchemaEntry]) -> Bool {
        Self.haveTexts(entries, zip(Self.triggerNames(name), triggers)) && earlierTriggers(in: entries).isEmpty
    }

    /// The program's triggers that run after those of the index and before a change.
    func earlierTriggers(in entries: [SchemaEntry]) -> [SchemaEntry] {
        let own = Self.triggerNames(name)
        let all = entries.filter { $0.kind == .trigger && Identifier.areSame($0.table, table) }
        let first = all.firstIndex { Identifier.index(of: $0.name, in: own) != nil } ?? all.endIndex
        return all[..<first].filter { entry in
            !entry.name.hasPrefix(Self.prefix)
                && entry.tokens.prefix { !$0.isWord("BEGIN") }.contains { $0.isWord("BEFORE") }
        }
    }

    private static func haveTexts(_ entries: [SchemaEntry], _ wanted: some Sequence<(String, String)>) -> Bool {
        wanted.allSatisfy { name, sql in
            guard let entry = entries.first(where: { Identifier.areSame($0.name, name) }) else { return false }
            return [SQLToken].normalised(entry.sql) == [SQLToken].normalised(sql)
        }
    }
}

extension FullTextIndex {
    /// Whether a file's index has the same declaration, with the present names of the columns.
    func isSame(as stored: StoredFullText) -> Bool {
        Identifier.areSame(name, stored.indexName) && columns.count == stored.columns.count
            && zip(columns, stored.columns).allSatisfy { Identifier.areSame($0, $1) }
            && tokenizer.rule == stored.tokenizer && prefixes == stored.prefixes
    }
}

extension Connection {
    /// Conditions for the rows `t` of a table that an inserted or updated row `new` would replace: one for each of its
    /// unique constraints, by which the engine finds the rows in the index.
    func replacedRows(of table: String, _ columns: [ColumnInfo], rowID: String?) throws -> [String] {
        let values = NewValues(columns)
        let byRowID = rowID.map { "t.\(Identifier.quote($0)) = new.\(Identifier.quote($0))" }
        return [byRowID].compactMap(\.self)
            + (try indexInfos(of: table).filter(\.isUnique).map { index in
                let text = IndexText(index)
                let parts = index.parts.enumerated().map { position, part -> String in
                    let collation = " COLLATE \(Identifier.quote(part.collation.name))"
                    if let column = part.column {
                        return "t.\(Identifier.quote(column)) = \(values.value(of: column))\(collation)"
                    }
                    let expression = text.expressions.indices.contains(position) ? text.expressions[position] : "NULL"
                    return "(\(expression)) = (SELECT (\(expression)) FROM (\(values.all(in: expression))))\(collation)"
                }
                return (parts + (text.condition.map { ["(\($0))"] } ?? [])).joined(separator: " AND ")
            })
    }
}

/// The values of an inserted or updated row, as its constraints are checked. A NULL becomes the default where
/// `NOT NULL ON CONFLICT REPLACE` says so.
private struct NewValues {
    private let columns: [ColumnInfo]

    init(_ columns: [ColumnInfo]) { self.columns = columns }

    func value(of name: String) -> String {
        let value = "new.\(Identifier.quote(name))"
        guard let column = columns.first(where: { Identifier.areSame($0.name, name) }), !column.isNullable,
            let sql = column.defaultExpression
        else { return value }
        return "coalesce(\(value), \(sql))"
    }

    /// A query of one row with the values that an expression may name.
    func all(in expression: String) -> String {
        let tokens = [SQLToken](sql: expression)
        let used = columns.filter { column in
            !column.isHidden && tokens.contains { $0.isNamed(column.name) }
        }
        let list = used.map { "\(value(of: $0.name)) AS \(Identifier.quote($0.name))" }
        return "SELECT \(list.isEmpty ? "NULL" : list.joined(separator: ", "))"
    }
}

/// The expressions of an index, and its condition, from the statement that created it.
private struct IndexText {
    private(set) var expressions: [String] = []
    private(set) var condition: String?

    init(_ index: IndexInfo) {
        guard let sql = index.sql else { return }
        let tokens = [SQLToken](sql: sql)
        guard let list = tokens.firstIndex(where: { $0.isSign("(") }).flatMap({ tokens.list(from: $0) }) else { return }
        expressions = list.items.map(Self.expression)
        guard let start = tokens[list.end...].firstIndex(where: { $0.isWord("WHERE") }) else { return }
        condition = Self.plain(Array(tokens[(start + 1)...].filter { $0.text != ";" }))
    }

    /// A part without its collation and its order.
    private static func expression(_ part: [SQLToken]) -> String {
        var tokens = part
        func trim() { while tokens.last?.kind == .space { tokens.removeLast() } }
        trim()
        if let last = tokens.last, last.isWord("ASC", "DESC") {
            tokens.removeLast()
            trim()
        }
        if tokens.count > 1, let before = tokens.significant(before: tokens.count - 1), before.isWord("COLLATE") {
            tokens.removeLast()
            trim()
            tokens.removeLast()
        }
        return plain(tokens)
    }

    /// Without comments, which could hide what follows.
    private static func plain(_ tokens: [SQLToken]) -> String {
        tokens.map { $0.kind == .space ? " " : $0.text }.joined()
    }
}
