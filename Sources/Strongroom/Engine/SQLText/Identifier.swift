/// An SQL identifier: the name of a table, a column or an index.
enum Identifier {
    /// The name in backticks, with backticks inside doubled.
    ///
    /// Not in double quotes: the engine reads a double-quoted name as a string literal if no column has that name, and
    /// the query would return no rows instead of failing. See SQLite's documentation, "SQLite Keywords"
    /// (sqlite.org/lang_keywords.html) and "Quirks", section 8 (sqlite.org/quirks.html).
    static func quote(_ name: String) -> String {
        "`\(doubling("`", in: name))`"
    }

    /// Doubles every occurrence of a quotation mark in a text, also of one followed by a combining mark, which to Swift
    /// is another character.
    static func doubling(_ quote: Unicode.Scalar, in text: String) -> String {
        guard text.unicodeScalars.contains(quote) else { return text }
        var doubled = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            doubled.append(scalar)
            if scalar == quote { doubled.append(scalar) }
        }
        return String(doubled)
    }

    /// Throws for a name that cannot be quoted.
    static func check(_ name: String, _ what: String) throws {
        guard !name.isEmpty, !name.utf8.contains(0) else {
            throw StrongroomError(.invalidName, "The name of a \(what) is empty or contains NUL; give it another name.")
        }
    }

    /// Whether the engine treats two names as equal: the case of A to Z is ignored, that of É and é is not.
    static func areSame(_ first: String, _ second: String) -> Bool { first.isSameName(as: second) }

    /// Whether two lists contain the same names, in any order.
    static func areSame(_ names: [String], _ others: [String]) -> Bool {
        names.allSatisfy { name in others.contains { areSame($0, name) } }
            && others.allSatisfy { name in names.contains { areSame($0, name) } }
    }

    static func index(of name: String, in names: [String]) -> Int? { names.firstIndex { areSame($0, name) } }
}

/// A name, hashed and compared as the engine compares names: case-insensitively for A to Z, otherwise byte by byte.
/// Names that are equal in Swift but differ in their Unicode composition are different.
struct SQLName: Hashable, Sendable {
    private let folded: [UInt8]

    init(_ name: String) { folded = Array(name.asciiFolded.utf8) }
}
