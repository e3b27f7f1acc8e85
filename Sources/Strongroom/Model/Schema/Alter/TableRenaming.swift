/// Renames a table. Runs in the caller's savepoint.
///
/// The engine renames the table, its indexes and the references to it; views and the bodies of triggers only from
/// SQLite 3.25 on. For earlier versions, their texts are edited here. Before 3.26 it renames references only while
/// foreign keys are enforced, which they are not in a migration ("ALTER TABLE", sqlite.org/lang_altertable.html).
struct TableRenaming {
    private let connection: Connection
    private let name: String
    private let newName: String
    private let entries: [SchemaEntry]

    init(_ connection: Connection, _ name: String, _ newName: String) throws {
        try connection.checkTransaction()
        self.connection = connection
        entries = try connection.schemaEntries()
        self.name = try connection.tableEntry(name, in: entries).name
        self.newName = newName
    }

    func run() throws {
        try refuseHistory()
        try refuseOtherMeanings()
        let sql = "ALTER TABLE \(Identifier.quote(name)) RENAME TO \(Identifier.quote(newName))"
        guard !(try EngineFeatures.current().hasRenameColumn) else {
            return try connection.withForeignKeys { try connection.run(sql) }
        }
        let broken = try connection.brokenObjects {
            try connection.withForeignKeys { try connection.run(sql) }
            try connection.rewriteSchema(
                connection.schemaEntries().filter { $0.kind == .view || $0.kind == .trigger }
                    .compactMap { $0.with(TableNames(name, in: $0.tokens).renamed(to: newName).sql) })
        }
        if let first = broken.first {
            throw connection.refusal(
                """
                \(first.entry.title) uses table "\(name)" and cannot be updated (\(first.words)); drop it first, \
                and create it again.
                """)
        }
    }

    /// Refuses a history that is kept for a table.
    private func refuseHistory() throws {
        let trigger = entries.first { $0.kind == .trigger && Identifier.areSame($0.name, "\(name)_delete") }
        if let trigger, Identifier.areSame(HistoryTable.name(of: trigger.table), name) {
            throw connection.refusal(
                """
                The table "\(name)" is the history of "\(trigger.table)"; rename that table, or call \
                `stopHistory(of:)` for it first.
                """)
        }
    }

    /// Refuses where a view or trigger would have another meaning afterwards and still be one: where the new name is an
    /// alias or a common table expression in it, or where it is the connection's own, which older engines leave as it
    /// is.
    private func refuseOtherMeanings() throws {
        let views = entries.filter { $0.kind == .view || $0.kind == .trigger }
        for entry in views where TableNames(name, in: entry.tokens).areUsed {
            guard TableNames(newName, in: entry.tokens).areUsed else { continue }
            throw connection.refusal(
                """
                \(entry.title) gives the name "\(newName)" to something else and uses table "\(name)": it would have \
                another meaning. Drop it first, and create it again, or choose another name.
                """)
        }
        guard !(try EngineFeatures.current().hasRenameColumn) else { return }
        for entry in try connection.schemaEntries(temporary: true) where entry.kind == .view || entry.kind == .trigger {
            guard TableNames(name, in: entry.tokens).areUsed, !entry.name.hasPrefix("strongroom_") else { continue }
            throw connection.refusal(
                """
                The temporary \(entry.title) uses table "\(name)", and this engine does not rename it there; drop it \
                first, and create it again.
                """)
        }
    }
}

/// Renames the history of a table that is renamed. Runs in the caller's savepoint.
struct HistoryRenaming {
    private let connection: Connection
    private let table: (old: String, new: String)
    private let history: (old: String, new: String)
    private let triggers: [SchemaEntry]

    /// - Returns: Nil if the table has no history.
    /// - Throws: ``StrongroomError`` with `schemaChange` if the new name of the history, or of one of its indexes, is
    ///   taken.
    init?(_ connection: Connection, _ name: String, _ newName: String) throws {
        let entries = try connection.schemaEntries()
        let table = try connection.tableEntry(name, in: entries).name
        let history = HistoryTable.name(of: table)
        guard try connection.historyColumns(history) != nil else { return nil }
        self.connection = connection
        self.table = (table, newName)
        let newHistory = HistoryTable.name(of: newName)
        self.history = (history, newHistory)
        let names = HistoryTable.triggerNames(of: table)
        triggers = entries.filter { $0.kind == .trigger && Identifier.index(of: $0.name, in: names) != nil }
        let newNames = [newHistory, "\(newHistory)_row", "\(newHistory)_moved"]
        if let taken = entries.first(where: { Identifier.index(of: $0.name, in: newNames) != nil }) {
            throw connection.refusal(
                """
                The history of table "\(table)" would be named "\(newHistory)", and "\(taken.name)" exists already; \
                rename or drop that one first.
                """)
        }
    }

    /// Drops the triggers, before the table is renamed.
    func stop() throws {
        for trigger in triggers { try connection.run("DROP TRIGGER main.\(Identifier.quote(trigger.name))") }
    }

    /// Renames the history and its indexes, and creates the triggers again, after the table is renamed.
    func resume() throws {
        let entries = try connection.schemaEntries()
        let old = try connection.tableEntry(history.old, in: entries).name
        try TableRenaming(connection, old, history.new).run()
        for part in ["row", "moved"] {
            let name = "\(history.old)_\(part)"
            guard let index = entries.first(where: { $0.kind == .index && Identifier.areSame($0.name, name) }) else {
                continue
            }
            try connection.run("DROP INDEX main.\(Identifier.quote(index.name))")
            try connection.run(renamed(index))
        }
        try connection.keepNumbers(of: history.new)
        try connection.renameEntry(of: history.old, to: history.new)
        try connection.continueNumbers(of: history.new)
        for trigger in triggers { try connection.run(renamed(trigger)) }
        connection.forgetUserStatements()
    }

    /// The text of an index or a trigger that the library has created, with the new names.
    private func renamed(_ entry: SchemaEntry) -> String {
        var tokens = entry.tokens
        for position in tokens.indices {
            guard let before = tokens.significant(before: position) else { continue }
            if before.isWord("TRIGGER", "INDEX"), tokens[position].isNamed(entry.name) {
                let rest = entry.name.dropFirst(history.old.count)
                tokens[position].text = Identifier.quote(history.new + rest)
            } else if before.isWord("ON", "INTO", "FROM") {
                if tokens[position].isNamed(table.old) { tokens[position].text = Identifier.quote(table.new) }
                if tokens[position].isNamed(history.old) { tokens[position].text = Identifier.quote(history.new) }
            }
        }
        return tokens.sql
    }
}

/// Finds the positions at which a view or a trigger names a table, by the grammar of SQLite before 3.25.
///
/// Aliases and common table expressions with the table's name are renamed, too, since the qualifiers of columns refer
/// to them.
struct TableNames {
    private let tokens: [SQLToken]
    private let name: String
    /// The positions of the tokens that are not space.
    private let significant: [Int]

    init(_ name: String, in tokens: [SQLToken]) {
        self.tokens = tokens
        self.name = name
        significant = tokens.indices.filter { tokens[$0].kind != .space }
    }

    /// The grammatical element that can follow.
    private enum Expected {
        case anything
        /// A table of a FROM clause, or a parenthesised list of them.
        case source
        /// The target table of a statement, or the table after IN.
        case table
        /// The optional alias of a table.
        case alias
    }

    /// The state within a pair of parentheses.
    private struct Level {
        var isInFrom = false
        var expected = Expected.anything
    }

    /// Whether the statement uses the name, for the table or for something else.
    var areUsed: Bool { !positions().isEmpty }

    func renamed(to newName: String) -> [SQLToken] {
        var edited = tokens
        for position in positions() { edited[position].text = Identifier.quote(newName) }
        return edited
    }

    /// The positions of the name's tokens.
    private func positions() -> [Int] {
        var found: [Int] = []
        var levels = [Level()]
        for index in significant.indices {
            var level = levels.removeLast()
            let token = token(index)
            if token.isSign("(") {
                let isJoin = level.expected == .source
                levels.append(level)
                level = isJoin ? Level(isInFrom: true, expected: .source) : Level()
            } else if token.isSign(")"), let outer = levels.popLast() {
                level = outer
                level.expected = level.expected == .source || level.expected == .alias ? .alias : .anything
            } else if mayBeName(index, level.expected), isName(index, level.expected) {
                found.append(significant[index])
                level.expected = level.expected == .source ? .alias : .anything
            } else {
                level.expected = expected(after: index, &level)
            }
            levels.append(level)
        }
        return found
    }

    /// Whether the token spells the name and is not a keyword there. The engine accepts a string literal as a name
    /// where only a name is valid.
    private func mayBeName(_ index: Int, _ expected: Expected) -> Bool {
        let token = token(index)
        if token.kind == .literal {
            return token.text.hasPrefix("'") && SQLToken.unquoted(token.text).isSameName(as: name)
                && (expected != .anything || self.token(index + 1).isSign("."))
        }
        guard token.isNamed(name), !token.isReservedWord else { return false }
        guard token.isAmbiguousWord else { return true }
        let before = self.token(index - 1)
        return !before.isWord("OR") && (expected != .alias || before.isWord("AS"))
    }

    /// Whether the token with the table's name denotes the table or an alias of that name.
    private func isName(_ index: Int, _ expected: Expected) -> Bool {
        let isQualified = token(index - 1).isSign(".")
        if isQualified, !token(index - 2).isNamed("main") { return false }
        if token(index + 1).isSign(".") { return true }
        return expected != .anything || isCommonTable(index)
    }

    private func isCommonTable(_ index: Int) -> Bool {
        let before = token(index - 1)
        guard before.isWord("WITH", "RECURSIVE") || before.isSign(",") else { return false }
        var next = index + 1
        if token(next).isSign("(") {
            while next < significant.count, !token(next).isSign(")") { next += 1 }
            next += 1
        }
        return token(next).isWord("AS") && token(next + 1).isSign("(")
    }

    /// The element that can follow a token that is neither a parenthesis nor the table's name.
    private func expected(after index: Int, _ level: inout Level) -> Expected {
        let token = token(index)
        switch token.kind == .word ? token.text.uppercased() : token.text {
        case "FROM", "JOIN":
            level.isInFrom = true
            return .source
        case "INTO", "UPDATE", "IN": return .table
        case ",": return level.isInFrom ? .source : .anything
        // Part of a qualified name.
        case ".": return level.expected
        case "OR" where level.expected == .table: return .table
        case "AS" where level.expected == .alias: return .alias
        case "SELECT", "WHERE", "SET", "VALUES", "GROUP", "HAVING", "ORDER", "LIMIT", "BEGIN", ";":
            level.isInFrom = false
            return .anything
        default: break
        }
        if level.expected == .table, self.token(index - 1).isWord("OR") { return .table }
        if self.token(index + 1).isSign("."), level.expected != .anything { return level.expected }
        let isName = token.kind == .word || token.kind == .quoted || token.kind == .literal
        guard isName, level.expected == .source else { return .anything }
        return .alias
    }

    private func token(_ index: Int) -> SQLToken {
        significant.indices.contains(index) ? tokens[significant[index]] : SQLToken(kind: .space, text: "")
    }
}
