/// A `CREATE TABLE` statement taken to pieces, so that one column can be changed and all else stays as its author wrote
/// it.
///
/// The text is edited, and not made anew from what the pragmas tell: these know neither checks nor generated columns'
/// expressions, the names of constraints, conflict clauses or comments.
package struct CreateTableText {
    /// All before the list's parenthesis but the name, and the name's place in it.
    private var head: [SQLToken]
    private let namePlace: Int
    /// The columns and the constraints, with the space around each.
    package private(set) var items: [[SQLToken]]
    /// All behind the list.
    package let tail: [SQLToken]

    /// - Returns: nil for a virtual table and for what is not understood.
    package init?(_ sql: String) {
        let tokens = [SQLToken](sql: sql)
        guard let open = tokens.firstIndex(where: { $0.isSign("(") }),
            let create = tokens.first(where: { $0.kind != .space }), create.isWord("CREATE"),
            !tokens[..<open].contains(where: { $0.isWord("VIRTUAL") }),
            let name = tokens[..<open].lastIndex(where: { $0.kind != .space })
        else { return nil }
        head = Array(tokens[..<open])
        namePlace = name
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

    /// Whether the rows have no ids of their own.
    package var isWithoutRowID: Bool { tail.contains { $0.isWord("ROWID") } }

    /// The column that an item describes, or nil for a constraint of the table.
    package static func column(_ item: [SQLToken]) -> String? {
        guard let first = item.first(where: { $0.kind != .space }) else { return nil }
        if first.isWord("CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN") { return nil }
        return first.name ?? (first.kind == .literal ? SQLToken.unquoted(first.text) : nil)
    }

    /// The place of a column's item.
    func place(of column: String) -> Int? {
        items.firstIndex { Self.column($0)?.isSameName(as: column) ?? false }
    }

    mutating func remove(at place: Int) { items.remove(at: place) }

    mutating func replace(at place: Int, with sql: String) { items[place] = [SQLToken](sql: " \(sql)") }

    /// Adds a column behind the others.
    mutating func add(_ sql: String) {
        let place = items.firstIndex { Self.column($0) == nil } ?? items.count
        items.insert([SQLToken](sql: " \(sql)"), at: place)
    }

    /// The statement for the same table under another name.
    ///
    /// - Parameters:
    ///   - name: The other name.
    ///   - old: The name in the statement, which before a column of the table's own expressions is left out.
    func sql(named name: String, insteadOf old: String) -> String {
        var copy = self
        copy.head[namePlace].text = Identifier.quote(name)
        copy.items = items.map { Self.withoutQualifier(old, $0) }
        return copy.sql
    }

    /// An item with the table's name left out before its columns.
    static func withoutQualifier(_ table: String, _ item: [SQLToken]) -> [SQLToken] {
        var kept: [SQLToken] = []
        var skipsDot = false
        for (place, token) in item.enumerated() {
            if skipsDot {
                skipsDot = !token.isSign(".")
                continue
            }
            if token.isNamed(table), item.significant(after: place)?.isSign(".") == true {
                skipsDot = true
            } else {
                kept.append(token)
            }
        }
        return kept
    }

    /// Renames a column: where it is declared, in the constraints, and in references to it.
    mutating func rename(_ column: String, to name: String, of table: String) {
        for place in items.indices {
            let found = Set(Self.mentions(of: column, of: table, in: items[place]))
            for token in found { items[place][token].text = Identifier.quote(name) }
            guard Self.column(items[place])?.isSameName(as: column) == true,
                let first = items[place].firstIndex(where: { $0.kind != .space })
            else { continue }
            items[place][first].text = Identifier.quote(name)
        }
    }

    /// Renames a column of another table in references to it.
    mutating func renameReferences(to table: String, column: String, as name: String) {
        for place in items.indices {
            for token in Self.mentions(of: column, of: table, in: items[place], own: false) {
                items[place][token].text = Identifier.quote(name)
            }
        }
    }

    /// Where an item uses a column of a table, apart from declaring it: only within parentheses can it.
    ///
    /// - Parameter own: Whether the item is of that table itself.
    static func mentions(of column: String, of table: String, in item: [SQLToken], own: Bool = true) -> [Int] {
        var (depth, found) = (0, [Int]())
        var parent: SQLToken?
        for (place, token) in item.enumerated() {
            if token.isSign("(") { depth += 1 }
            if token.isSign(")") {
                depth -= 1
                if depth == 0 { parent = nil }
            }
            if depth == 0, let before = item.significant(before: place), before.isWord("REFERENCES") { parent = token }
            if depth == 0, token.isWord("ON", "CHECK", "DEFERRABLE", "NOT", "MATCH", "CONSTRAINT") { parent = nil }
            let isOfTable = parent.map { $0.isNamed(table) } ?? own
            if depth > 0, isOfTable, item.isColumn(column, at: place) { found.append(place) }
        }
        return found
    }

    /// A column's item with another name in the place of its type, where that is one word.
    static func withType(_ type: String, _ item: [SQLToken]) -> [SQLToken] {
        var copy = item
        guard let name = item.firstIndex(where: { $0.kind != .space }),
            let place = item.indices.first(where: { $0 > name && item[$0].kind != .space }), item[place].name != nil
        else { return item }
        copy[place] = SQLToken(kind: .word, text: type)
        return copy
    }
}
