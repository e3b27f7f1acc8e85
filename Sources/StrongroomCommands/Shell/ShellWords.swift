package import Strongroom

/// What the shell knows to complete.
package struct ShellWords: Sendable, Equatable {
    /// The columns of each table, by the table's name.
    package var tables: [String: [String]]

    package init(tables: [String: [String]]) {
        self.tables = tables
    }

    /// Reads the names. Of a table that cannot be read it is the table's alone.
    package init(in db: borrowing some Reading & ~Copyable) throws {
        tables = [:]
        for table in try db.tableNames() {
            do {
                tables[table] = try db.columns(of: table).map(\.name)
            } catch let error as StrongroomError where error.concernsOneTable {
                tables[table] = []
            }
        }
    }

    static let keywords = [
        "ALTER TABLE", "AND", "AS", "ASC", "BETWEEN", "BY", "CASE", "CAST", "COLLATE NOCASE", "COUNT(*)",
        "CREATE INDEX",
        "CREATE TABLE", "CREATE TRIGGER", "CREATE VIEW", "DEFAULT", "DELETE FROM", "DESC", "DISTINCT", "DROP INDEX",
        "DROP TABLE", "DROP VIEW", "ELSE", "END", "EXISTS", "EXPLAIN QUERY PLAN", "FROM", "GROUP BY", "HAVING",
        "INNER JOIN", "INSERT INTO", "INTO", "IS NOT NULL", "IS NULL", "JOIN", "LEFT JOIN", "LIKE", "LIMIT", "NOT",
        "NULL", "OFFSET", "ON", "OR", "ORDER BY", "PRAGMA", "REPLACE INTO", "SELECT", "SET", "THEN", "UNION ALL",
        "UPDATE", "USING", "VALUES", "WHEN", "WHERE", "WITH",
    ]

    /// What the word before the cursor may become.
    ///
    /// - Returns: How many characters of the word are there, and the candidates that begin so, in order.
    package func completions(_ before: String) -> (length: Int, candidates: [String]) {
        if before.hasPrefix(".") {
            let commands = ShellDirective.names.filter { $0.hasPrefix(before) }
            return (before.count, commands)
        }
        let word = String(before.reversed().prefix { $0.isLetter || $0.isNumber || $0 == "_" }.reversed())
        let rest = before.dropLast(word.count)
        if rest.hasSuffix("."), let columns = columns(of: rest.dropLast()) {
            return (word.count, Self.matching(word, columns.map(Self.quoted)))
        }
        guard !word.isEmpty else { return (0, []) }
        let isLower = word.contains { $0.isLowercase }
        let keywords = Self.keywords.map { isLower ? $0.lowercased() : $0 }
        let names = Set(tables.keys).union(tables.values.joined()).map(Self.quoted)
        return (word.count, Self.matching(word, Array(Set(names + keywords))))
    }

    private func columns(of before: Substring) -> [String]? {
        let name = String(before.reversed().prefix { $0.isLetter || $0.isNumber || $0 == "_" }.reversed())
        return tables.first { $0.key.lowercased() == name.lowercased() }?.value
    }

    private static func matching(_ word: String, _ candidates: [String]) -> [String] {
        candidates.filter { $0.lowercased().hasPrefix(word.lowercased()) }.sorted()
    }

    /// A name as it has to be written in SQL.
    private static func quoted(_ name: String) -> String {
        let isPlain = name.unicodeScalars.allSatisfy { scalar in
            scalar == "_" || scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
        }
        let isWord = isPlain && name.first.map { !$0.isNumber } ?? false
        if isWord { return name }
        return "`" + name.split(separator: "`", omittingEmptySubsequences: false).joined(separator: "``") + "`"
    }
}
