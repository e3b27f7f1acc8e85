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

    var sql: String { head.sql + "(" + items.map(\.sql).joined(separator: ",") + ")" + tail.sql }

    package var isWithoutRowID: Bool { tail.contains { $0.isWord("ROWID") } }

    /// The column that an item declares, or nil for a table constraint.
    package static func column(_ item: [SQLToken]) -> String? {
        guard let first = item.first(where: { $0.kind != .space }) else { return nil }
        if first.isWord("CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN") { return nil }
        return first.name ?? (first.kind == .literal ? SQLToken.unquoted(first.text) : nil)
    }

    func position(of column: String) -> Int? {
        items.firstIndex { Self.column($0)?.isSameName(as: column) ?? false }
    }

    mutating func remove(at position: Int) { items.remove(at: position) }

    mutating func replace(at position: Int, with sql: String) { items[position] = [SQLToken](sql: " \(sql)") }

    mutating func add(_ sql: String) {
        let position = items.firstIndex { Self.column($0) == nil } ?? items.count
        items.insert([SQLToken](sql: " \(sql)"), at: position)
    }

    /// The statement for the same table with another name, without the old one as a qualifier in the table's own
    /// expressions.
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

    /// Renames a column of a table in the constraints and in references to it, and in its declaration if it is the
    /// statement's own.
    mutating func rename(_ column: String, to name: String, of table: String, own: Bool) {
        for position in items.indices {
            var found = Self.mentions(of: column, of: table, in: items[position], own: own)
            if own, Self.column(items[position])?.isSameName(as: column) == true,
                let first = items[position].firstIndex(where: { $0.kind != .space })
            {
                found.append(first)
            }
            for token in found { items[position][token].text = Identifier.quote(name) }
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
}

extension CreateTableText {
    /// A column's item without redundant parentheses around its default: `DEFAULT (1)` becomes `DEFAULT 1`.
    package static func withPlainDefault(_ item: [SQLToken]) -> [SQLToken] {
        var tokens = item.filter { $0.kind != .space }
        guard let range = defaultRange(tokens) else { return item }
        tokens.replaceSubrange(range, with: withoutParentheses(Array(tokens[range])))
        return tokens
    }

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

    private static func defaultRange(_ item: [SQLToken]) -> Range<Int>? {
        func next(_ position: Int) -> Int? { item.indices.first { $0 > position && item[$0].kind != .space } }
        guard let word = item.firstIndex(where: { $0.isWord("DEFAULT") }), let first = next(word) else { return nil }
        if item[first].isSign("(") { return item.list(from: first).map { first..<$0.end + 1 } }
        guard item[first].isSign("-") || item[first].isSign("+") else { return first..<first + 1 }
        return next(first).map { first..<$0 + 1 }
    }
}

extension SQLToken {
    /// Words that are names only if they are quoted, and the two words that follow a column in an index.
    private static let reserved = words(
        """
        ADD ALL ALTER AND AS ASC AUTOINCREMENT BETWEEN CASE CHECK COLLATE COMMIT CONSTRAINT CREATE DEFAULT \
        DEFERRABLE DELETE DESC DISTINCT DROP ELSE ESCAPE EXCEPT EXISTS FOREIGN FROM GROUP HAVING IN INDEX INSERT \
        INTERSECT INTO IS ISNULL JOIN LIMIT NOT NOTNULL NULL ON OR ORDER PRIMARY REFERENCES SELECT SET TABLE THEN TO \
        TRANSACTION UNION UNIQUE UPDATE USING VALUES WHEN WHERE
        """)

    /// Words with a special meaning in a view or a trigger that may also be names.
    private static let ambiguous = words(
        """
        ABORT AFTER BEFORE BEGIN BY CAST CROSS EACH END FAIL FOR FULL GLOB IF IGNORE INDEXED INNER INSTEAD LEFT LIKE \
        MATCH NATURAL OF OFFSET OUTER RAISE RECURSIVE REGEXP REPLACE RIGHT ROLLBACK ROW TEMP TEMPORARY TRIGGER VIEW \
        WITH WITHOUT OVER PARTITION FILTER ROWS RANGE NULLS FIRST LAST MATERIALIZED RETURNING
        """)

    private static func words(_ text: String) -> Set<String> { Set(text.split(separator: " ").map { String($0) }) }

    var isReservedWord: Bool { kind == .word && Self.reserved.contains(text.uppercased()) }
    var isAmbiguousWord: Bool { kind == .word && Self.ambiguous.contains(text.uppercased()) }
}

extension [SQLToken] {
    /// The items of a list in parentheses, including the whitespace around each, and the position of its end; nil if it
    /// has none.
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
