/// A parsed `CREATE TABLE` statement, in which one column can be changed and everything else remains as written.
///
/// The text is edited, not rebuilt from the pragmas, which report neither checks and the expressions of generated
/// columns nor the names of constraints, conflict clauses and comments.
package struct CreateTableText {
    /// The tokens before the list's parenthesis without the name, and the position of the name.
    private var head: [SQLToken]
    private let namePosition: Int
    /// The columns and constraints, including the whitespace around each.
    package private(set) var items: [[SQLToken]]
    /// The tokens after the list.
    package let tail: [SQLToken]

    /// - Returns: nil for a virtual table and for text that cannot be parsed.
    package init?(_ sql: String) {
        let tokens = [SQLToken](sql: sql)
        guard let open = tokens.firstIndex(where: { $0.isSign("(") }),
            let create = tokens.first(where: { $0.kind != .space }), create.isWord("CREATE"),
            !tokens[..<open].contains(where: { $0.isWord("VIRTUAL") }),
            let name = tokens[..<open].lastIndex(where: { $0.kind != .space }), let list = tokens.list(from: open)
        else { return nil }
        head = Array(tokens[..<open])
        namePosition = name
        items = list.items
        tail = Array(tokens[(list.end + 1)...])
    }

    /// The statement.
    var sql: String { head.sql + "(" + items.map(\.sql).joined(separator: ",") + ")" + tail.sql }

    /// Whether it is a WITHOUT ROWID table.
    package var isWithoutRowID: Bool { tail.contains { $0.isWord("ROWID") } }

    /// The column that an item declares, or nil for a table constraint.
    package static func column(_ item: [SQLToken]) -> String? {
        guard let first = item.first(where: { $0.kind != .space }) else { return nil }
        if first.isWord("CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN") { return nil }
        return first.name ?? (first.kind == .literal ? SQLToken.unquoted(first.text) : nil)
    }

    /// The index of a column's item.
    func position(of column: String) -> Int? {
        items.firstIndex { Self.column($0)?.isSameName(as: column) ?? false }
    }

    mutating func remove(at position: Int) { items.remove(at: position) }

    mutating func replace(at position: Int, with sql: String) { items[position] = [SQLToken](sql: " \(sql)") }

    /// Adds a column after the others.
    mutating func add(_ sql: String) {
        let position = items.firstIndex { Self.column($0) == nil } ?? items.count
        items.insert([SQLToken](sql: " \(sql)"), at: position)
    }

    /// The statement for the same table with another name.
    ///
    /// - Parameters:
    ///   - name: The new name.
    ///   - old: The name in the statement; as a qualifier in the table's own expressions it is removed.
    func sql(named name: String, insteadOf old: String) -> String {
        var copy = self
        copy.head[namePosition].text = Identifier.quote(name)
        copy.items = items.map { Self.withoutQualifier(old, $0) }
        return copy.sql
    }

    /// An item without the table's name as a qualifier of columns.
    static func withoutQualifier(_ table: String, _ item: [SQLToken]) -> [SQLToken] {
        var kept: [SQLToken] = []
        var skipsDot = false
        for (position, token) in item.enumerated() {
            if skipsDot {
                skipsDot = !token.isSign(".")
                continue
            }
            if token.isNamed(table), item.significant(after: position)?.isSign(".") == true {
                skipsDot = true
            } else {
                kept.append(token)
            }
        }
        return kept
    }

    /// Renames a column in its declaration, in the constraints, and in references to it.
    mutating func rename(_ column: String, to name: String, of table: String) {
        for position in items.indices {
            let found = Set(Self.mentions(of: column, of: table, in: items[position]))
            for token in found { items[position][token].text = Identifier.quote(name) }
            guard Self.column(items[position])?.isSameName(as: column) == true,
                let first = items[position].firstIndex(where: { $0.kind != .space })
            else { continue }
            items[position][first].text = Identifier.quote(name)
        }
    }

    /// Renames a column of another table in references to it.
    mutating func renameReferences(to table: String, column: String, as name: String) {
        for position in items.indices {
            for token in Self.mentions(of: column, of: table, in: items[position], own: false) {
                items[position][token].text = Identifier.quote(name)
            }
        }
    }

    /// The positions at which an item uses a column of a table, apart from its declaration; such uses are always in
    /// parentheses.
    ///
    /// - Parameter own: Whether the item belongs to that table.
    static func mentions(of column: String, of table: String, in item: [SQLToken], own: Bool = true) -> [Int] {
        var (depth, found) = (0, [Int]())
        var parent: SQLToken?
        for (position, token) in item.enumerated() {
            if token.isSign("(") { depth += 1 }
            if token.isSign(")") {
                depth -= 1
                if depth == 0 { parent = nil }
            }
            if depth == 0, let before = item.significant(before: position), before.isWord("REFERENCES") {
                parent = token
            }
            if depth == 0, token.isWord("ON", "CHECK", "DEFERRABLE", "NOT", "MATCH", "CONSTRAINT") { parent = nil }
            let isOfTable = parent.map { $0.isNamed(table) } ?? own
            if depth > 0, isOfTable, item.isColumn(column, at: position) { found.append(position) }
        }
        return found
    }

    /// A column's item with another type, if the type is a single word.
    static func withType(_ type: String, _ item: [SQLToken]) -> [SQLToken] {
        var copy = item
        guard let name = item.firstIndex(where: { $0.kind != .space }),
            let position = item.indices.first(where: { $0 > name && item[$0].kind != .space }),
            item[position].name != nil
        else { return item }
        copy[position] = SQLToken(kind: .word, text: type)
        return copy
    }
}

extension CreateTableText {
    /// A column's item without redundant parentheses around its default: `DEFAULT (1)` becomes `DEFAULT 1`.
    package static func withPlainDefault(_ item: [SQLToken]) -> [SQLToken] {
        var tokens = item.filter { $0.kind != .space }
        guard let range = defaultRange(tokens) else { return item }
        tokens.replaceSubrange(range, with: withoutParentheses(Array(tokens[range])))
        return tokens
    }

    /// A column's item declared as DECIMAL_TEXT, with a default in that form.
    ///
    /// - Returns: nil if the default is an expression instead of a number.
    static func withSortedDecimals(_ item: [SQLToken]) -> [SQLToken]? {
        withDefault(withType(SortedDecimal.declaredType, item)) { digits in
            SortedDecimal.plain(digits).flatMap { SortedDecimal.stored($0) }
                .map { SQLToken(kind: .literal, text: "'\($0)'") }
        }
    }

    /// A column's item declared with a scale, with a default in that form.
    ///
    /// - Parameter former: The column's former declared type.
    /// - Returns: nil if the default is not a number that fits the scale.
    static func withScaledDecimals(_ item: [SQLToken], _ scale: DecimalScale, _ former: String) -> [SQLToken]? {
        withDefault(withWholeType(scale.declaredType, item)) { digits in
            let old = DecimalScale(declaredType: former)
            let plain = old.flatMap { old in Int64(digits).map { old.plain($0) } } ?? SortedDecimal.plain(digits)
            guard let plain, scale.misfit(plain) == nil, let stored = try? scale.stored(digits: plain) else {
                return nil
            }
            return SQLToken(kind: .number, text: "(\(stored))")
        }
    }

    /// A column's item with its numeric default in another form.
    ///
    /// - Returns: nil if the default is not a number, or has no other form.
    private static func withDefault(_ item: [SQLToken], _ form: (String) -> SQLToken?) -> [SQLToken]? {
        guard let range = defaultRange(item) else { return item }
        let value = withoutParentheses(item[range].filter { $0.kind != .space })
        if value.count == 1, value[0].isWord("NULL") { return item }
        guard let other = digits(value).flatMap(form) else { return nil }
        var copy = item
        copy.replaceSubrange(range, with: [SQLToken(kind: .space, text: " "), other])
        return copy
    }

    /// A column's item with another type in place of all words and numbers of its declared type.
    private static func withWholeType(_ type: String, _ item: [SQLToken]) -> [SQLToken] {
        guard let name = item.firstIndex(where: { $0.kind != .space }) else { return item }
        let constraints = [
            "CONSTRAINT", "PRIMARY", "NOT", "NULL", "UNIQUE", "CHECK", "DEFAULT", "COLLATE", "REFERENCES", "GENERATED",
            "AS",
        ]
        var end = name + 1
        while end < item.count {
            if item[end].kind == .word, constraints.contains(item[end].text.uppercased()) { break }
            end = item[end].isSign("(") ? (item.list(from: end)?.end ?? end) + 1 : end + 1
        }
        let words = [SQLToken(kind: .space, text: " ")] + [SQLToken](sql: type) + [SQLToken(kind: .space, text: " ")]
        return Array(item[...name]) + words + Array(item[end...])
    }

    /// Declares a column as DECIMAL_TEXT.
    ///
    /// - Returns: False if its default is an expression.
    mutating func sortDecimals(of column: String) -> Bool {
        guard let position = position(of: column), let sorted = Self.withSortedDecimals(items[position]) else {
            return false
        }
        if sorted.normalised != items[position].normalised { replace(at: position, with: sorted.sql) }
        return true
    }

    /// The conditions of all CHECK constraints, in parentheses.
    var checks: [String] {
        items.flatMap { item in
            item.indices.compactMap { position in
                guard item[position].isWord("CHECK"),
                    let open = item.indices.first(where: { $0 > position && item[$0].kind != .space }),
                    item[open].isSign("("), let close = item.list(from: open)?.end
                else { return nil }
                return Array(item[open...close]).sql
            }
        }
    }

    private static func withoutParentheses(_ value: [SQLToken]) -> [SQLToken] {
        var value = value
        while value.first?.isSign("(") == true, value.list(from: 0)?.end == value.count - 1 {
            value = Array(value.dropFirst().dropLast())
        }
        return value
    }

    /// The range of an item's default.
    private static func defaultRange(_ item: [SQLToken]) -> Range<Int>? {
        func next(_ position: Int) -> Int? { item.indices.first { $0 > position && item[$0].kind != .space } }
        guard let word = item.firstIndex(where: { $0.isWord("DEFAULT") }), let first = next(word) else { return nil }
        if item[first].isSign("(") { return item.list(from: first).map { first..<$0.end + 1 } }
        guard item[first].isSign("-") || item[first].isSign("+") else { return first..<first + 1 }
        return next(first).map { first..<$0 + 1 }
    }

    /// The text of a literal.
    private static func digits(_ value: [SQLToken]) -> String? {
        if value.count == 2, value[1].kind == .number {
            return value[0].isSign("-") ? "-" + value[1].text : value[0].isSign("+") ? value[1].text : nil
        }
        guard value.count == 1 else { return nil }
        return switch value[0].kind {
        case .number: value[0].text
        case .quoted: SQLToken.unquoted(value[0].text)
        case .literal where value[0].text.hasPrefix("'"): SQLToken.unquoted(value[0].text)
        default: nil
        }
    }
}

extension SQLToken {
    /// Words that are names only if they are quoted, and the two words that follow a column in an index.
    private static let reserved: Set<String> = [
        "ADD", "ALL", "ALTER", "AND", "AS", "ASC", "AUTOINCREMENT", "BETWEEN", "CASE", "CHECK", "COLLATE", "COMMIT",
        "CONSTRAINT",
        "CREATE", "DEFAULT", "DEFERRABLE", "DELETE", "DESC", "DISTINCT", "DROP", "ELSE", "ESCAPE", "EXCEPT", "EXISTS",
        "FOREIGN",
        "FROM", "GROUP", "HAVING", "IN", "INDEX", "INSERT", "INTERSECT", "INTO", "IS", "ISNULL", "JOIN", "LIMIT", "NOT",
        "NOTNULL",
        "NULL", "ON", "OR", "ORDER", "PRIMARY", "REFERENCES", "SELECT", "SET", "TABLE", "THEN", "TO", "TRANSACTION",
        "UNION",
        "UNIQUE", "UPDATE", "USING", "VALUES", "WHEN", "WHERE",
    ]

    /// Words with a special meaning in a view or a trigger that may also be names.
    private static let ambiguous: Set<String> = [
        "ABORT", "AFTER", "BEFORE", "BEGIN", "BY", "CAST", "CROSS", "EACH", "END", "FAIL", "FOR", "FULL", "GLOB", "IF",
        "IGNORE",
        "INDEXED", "INNER", "INSTEAD", "LEFT", "LIKE", "MATCH", "NATURAL", "OF", "OFFSET", "OUTER", "RAISE",
        "RECURSIVE", "REGEXP",
        "REPLACE",
        "RIGHT", "ROLLBACK", "ROW", "TEMP", "TEMPORARY", "TRIGGER", "VIEW", "WITH", "WITHOUT", "OVER", "PARTITION",
        "FILTER",
        "ROWS", "RANGE", "NULLS", "FIRST", "LAST", "MATERIALIZED", "RETURNING",
    ]

    var isReservedWord: Bool { kind == .word && Self.reserved.contains(text.uppercased()) }
    var isAmbiguousWord: Bool { kind == .word && Self.ambiguous.contains(text.uppercased()) }
}

extension [SQLToken] {
    /// The items of a list in parentheses, including the whitespace around each, and the position of its end.
    ///
    /// - Parameter open: The position of the opening parenthesis.
    /// - Returns: nil if the list has no end.
    func list(from open: Int) -> (items: [[SQLToken]], end: Int)? {
        var depth = 0
        var items: [[SQLToken]] = [[]]
        for position in indices[open...] {
            if self[position].isSign(")") { depth -= 1 }
            if depth == 0, position > open { return (items, position) }
            if depth == 1, self[position].isSign(",") {
                items.append([])
            } else if depth > 0 {
                items[items.count - 1].append(self[position])
            }
            if self[position].isSign("(") { depth += 1 }
        }
        return nil
    }

    /// Whether a token is the name of the column, as far as it and the adjacent tokens show.
    func isColumn(_ column: String, at position: Int) -> Bool {
        guard self[position].isNamed(column), !self[position].isReservedWord else { return false }
        if let next = significant(after: position), next.isSign("(") || next.isSign(".") { return false }
        return !(significant(before: position)?.isWord("COLLATE", "AS") ?? false)
    }

    /// The table name that qualifies a column, in `table.column`.
    func qualifier(of position: Int) -> SQLToken? {
        guard let dot = self[..<position].lastIndex(where: { $0.kind != .space }), self[dot].isSign(".") else {
            return nil
        }
        return significant(before: dot)
    }
}
