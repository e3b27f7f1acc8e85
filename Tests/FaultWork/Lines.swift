import Strongroom

/// Numbered lines of text that change from round to round, and what they must be after each: as they are written with
/// SQL, and as they are reckoned without it.
enum Lines {
    private static let first = 40
    private static let added = 5

    static let migrator = Migrator {
        Migration("1") { db in
            try db.execute(
                "CREATE TABLE line (number INTEGER PRIMARY KEY, round INTEGER NOT NULL, text TEXT NOT NULL)")
            try db.execute("CREATE INDEX line_text ON line (text)")
            try db.execute("CREATE TABLE tally (round INTEGER NOT NULL)")
        }
    }

    /// Text of one to some hundred bytes, and now and then one that is longer than a page.
    private static func text(_ number: Int) -> String {
        "line \(number) " + String(repeating: "x", count: number % 13 == 0 ? 3_000 : number * 7 % 200)
    }

    static func fill(_ db: borrowing WriteTransaction) throws {
        for number in 1...first { try insert(number, round: 0, db) }
        try db.execute("INSERT INTO tally VALUES (0)")
    }

    private static func insert(_ number: Int, round: Int, _ db: borrowing WriteTransaction) throws {
        try db.execute("INSERT INTO line (number, round, text) VALUES (\(number), \(round), \(text(number)))")
    }

    /// The first half of a round.
    static func insert(_ round: Int, _ db: borrowing WriteTransaction) throws {
        for number in 1...added { try insert(1_000 * round + number, round: round, db) }
    }

    /// The second half.
    static func change(_ round: Int, _ db: borrowing WriteTransaction) throws {
        try db.execute("UPDATE line SET round = \(round) WHERE number % 7 = \(round)")
        try db.execute("DELETE FROM line WHERE number = \(round)")
        try db.execute("UPDATE tally SET round = \(round)")
    }

    static func round(_ db: borrowing ReadTransaction) throws -> Int {
        try db.value("SELECT round FROM tally") ?? -1
    }

    static func sight(of store: Store) async throws -> Sight {
        try await store.read { db in
            var rows: [String] = []
            try db.forEachRow("SELECT number, round, text FROM line ORDER BY number") { row in
                rows.append("\(try row[0] as Int) \(try row[1] as Int) \(try row[2] as String)")
            }
            return try Sight(step: round(db), rows: rows, checking: db)
        }
    }

    static func rows(after round: Int) -> [String] {
        var lines: [Int: Int] = [:]
        for number in 1...first { lines[number] = 0 }
        for round in 0..<round {
            for number in 1...added { lines[1_000 * (round + 1) + number] = round + 1 }
            for number in lines.keys where number % 7 == round + 1 { lines[number] = round + 1 }
            lines[round + 1] = nil
        }
        return lines.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value) \(text($0.key))" }
    }
}
