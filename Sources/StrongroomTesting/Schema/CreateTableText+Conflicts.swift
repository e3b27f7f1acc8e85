import Strongroom

extension CreateTableText {
    /// The conflict clauses of the table's constraints other than the default (`ABORT`), sorted; such as
    /// `unique (email) REPLACE`.
    var conflicts: [String] {
        items.flatMap { item in
            let tokens = item.significant.outsideParentheses
            let column = CreateTableText.column(item).map { "(\($0.asciiFolded))" }
            return tokens.indices.compactMap { index in conflict(at: index, in: tokens, of: item, column) }
        }.sorted()
    }

    private func conflict(
        at index: Int, in tokens: [SQLToken], of item: [SQLToken], _ column: String?
    ) -> String? {
        guard tokens[index].isWord("ON"), index + 2 < tokens.count, tokens[index + 1].isWord("CONFLICT"),
            let action = tokens[index + 2].name?.uppercased(), action != "ABORT",
            let kind = tokens[..<index].lastIndex(where: { $0.isWord("UNIQUE", "NULL", "KEY", "CHECK") })
        else { return nil }
        let word = tokens[kind].text.uppercased()
        guard let name = ["UNIQUE": "unique", "NULL": "not null", "KEY": "primary key"][word] else {
            return nil  // The engine reads it on a check and does nothing with it.
        }
        // A table constraint contains its columns.
        let listed = item.significant.parenthesised(behind: word).first.map {
            "(\($0.list.map { SQLMeaning($0).text }.joined(separator: ", ")))"
        }
        return "\(name) \(column ?? listed ?? "") \(action)"
    }
}

extension [SQLToken] {
    /// The tokens outside parentheses.
    fileprivate var outsideParentheses: [SQLToken] {
        var depth = 0
        return filter { token in
            if token.isSign("(") { depth += 1 }
            if token.isSign(")") { depth -= 1 }
            return depth == 0 && !token.isSign(")")
        }
    }
}
