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
            let name = tokens[..<open].lastIndex(where: { $0.kind != .space })
        else { return nil }
        head = Array(tokens[..<open])
        namePosition = name
        var (depth, end) = (1, open + 1)
        var items: [[SQLToken]] = [[]]
        while end < tokens.count {
            let token = tokens[end]
            if token.isSign("(") { depth += 1 }
            if token.isSign(")") { depth -= 1 }
            if depth == 0 { break }
            if depth == 1, token.isSign(",") { items.append([]) } else { items[items.count - 1].append(token) }
            end += 1
        }
        guard depth == 0 else { return nil }
        self.items = items
        tail = Array(tokens[(end + 1)...])
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
