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
            end = item[end].isSign("(") ? (closing(end, item) ?? end) + 1 : end + 1
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
                    item[open].isSign("("), let close = Self.closing(open, item)
                else { return nil }
                return Array(item[open...close]).sql
            }
        }
    }

    /// The index of the closing parenthesis that matches an opening one.
    private static func closing(_ open: Int, _ tokens: [SQLToken]) -> Int? {
        var depth = 0
        for position in tokens.indices[open...] {
            if tokens[position].isSign("(") { depth += 1 }
            if tokens[position].isSign(")") { depth -= 1 }
            if depth == 0 { return position }
        }
        return nil
    }

    private static func withoutParentheses(_ value: [SQLToken]) -> [SQLToken] {
        var value = value
        while value.first?.isSign("(") == true, closing(0, value) == value.count - 1 {
            value = Array(value.dropFirst().dropLast())
        }
        return value
    }

    /// The range of an item's default.
    private static func defaultRange(_ item: [SQLToken]) -> Range<Int>? {
        func next(_ position: Int) -> Int? { item.indices.first { $0 > position && item[$0].kind != .space } }
        guard let word = item.firstIndex(where: { $0.isWord("DEFAULT") }), let first = next(word) else { return nil }
        if item[first].isSign("(") { return closing(first, item).map { first..<$0 + 1 } }
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
