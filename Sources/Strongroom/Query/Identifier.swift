/// A name in SQL: of a table, a column, an index.
enum Identifier {
    /// The name in double quotes, with those inside doubled.
    ///
    /// See SQLite's documentation, «SQLite Keywords» (sqlite.org/lang_keywords.html).
    static func quote(_ name: String) -> String {
        guard name.utf8.contains(UInt8(ascii: "\"")) else { return "\"\(name)\"" }
        return "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    /// Refuses what no quoting makes a name.
    static func check(_ name: String, _ what: String) throws {
        guard !name.isEmpty, !name.utf8.contains(0) else {
            throw StrongroomError(.invalidName, "A \(what) has no name, or a NUL in it; give it a name.")
        }
    }
}
