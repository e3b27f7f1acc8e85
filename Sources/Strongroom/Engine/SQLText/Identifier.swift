/// A name in SQL: of a table, a column, an index.
enum Identifier {
    /// The name in backticks, with those inside doubled.
    ///
    /// Not in double quotes: the engine takes such a name for a text where it knows no column of that name, and the
    /// query would find nothing instead of failing. See SQLite's documentation, "SQLite Keywords"
    /// (sqlite.org/lang_keywords.html) and "Quirks", section 8 (sqlite.org/quirks.html).
    static func quote(_ name: String) -> String {
        "`\(doubling("`", in: name))`"
    }

    /// A text with every quote of a kind doubled, also one that a combining mark follows, which is another character to
    /// Swift.
    static func doubling(_ quote: Unicode.Scalar, in text: String) -> String {
        guard text.unicodeScalars.contains(quote) else { return text }
        var doubled = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            doubled.append(scalar)
            if scalar == quote { doubled.append(scalar) }
        }
        return String(doubled)
    }

    /// Refuses what no quoting makes a name.
    static func check(_ name: String, _ what: String) throws {
        guard !name.isEmpty, !name.utf8.contains(0) else {
            throw StrongroomError(.invalidName, "A \(what) has no name, or a NUL in it; give it a name.")
        }
    }

    /// Whether the engine takes two names for one: it makes no difference between A and a, and one between É and é.
    static func areSame(_ first: String, _ second: String) -> Bool { first.isSameName(as: second) }

    /// Whether two lists have the same names, in whatever order.
    static func areSame(_ names: [String], _ others: [String]) -> Bool {
        names.allSatisfy { name in others.contains { areSame($0, name) } }
            && others.allSatisfy { name in names.contains { areSame($0, name) } }
    }

    /// The place of a name among others.
    static func place(of name: String, in names: [String]) -> Int? { names.firstIndex { areSame($0, name) } }
}
