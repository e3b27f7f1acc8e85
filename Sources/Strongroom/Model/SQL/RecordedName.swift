/// The name of the database that a file belongs to, recorded in the file, so that another database's file in its place
/// is noticed.
///
/// It is the text of a view, which is authenticated and encrypted with the schema, comes along with every copy of the
/// file, and takes no page. The view is never evaluated, and ``Connection/schemaEntries(temporary:)`` omits it, so that
/// no change of a table rewrites it.
struct RecordedName {
    static let view = "strongroom_database"

    private static let beginning = "CREATE VIEW \(view) AS SELECT '"
    private static let end = "' AS name"

    private static let mark = UInt8(ascii: "'")

    /// Whether a file has an object besides the record; one without is new to a migrator.
    static let anyObject = "SELECT 1 FROM sqlite_master WHERE name <> '\(view)' LIMIT 1"

    let connection: Connection

    /// The name; nil if none was recorded.
    func read() throws -> String? {
        // In a transaction, whose end reports damage that would be read as no record.
        let sql = try connection.inSnapshot { try connection.schemaText(of: .view, Self.view) }
        // By bytes, since a combining character may follow a quotation mark.
        guard let text = sql else { return nil }
        let bytes = Array(text.utf8)
        let body = bytes.dropFirst(Self.beginning.utf8.count).dropLast(Self.end.utf8.count)
        guard bytes.elementsEqual(Array(Self.beginning.utf8) + body + Array(Self.end.utf8)) else { return nil }
        var isDoubled = false
        let name = body.filter { byte in
            isDoubled = byte == Self.mark && !isDoubled
            return !isDoubled
        }
        return String(decoding: name, as: UTF8.self)
    }

    /// Records a name in place of the former one.
    func write(_ name: String) throws {
        let body = name.utf8.flatMap { $0 == Self.mark ? [$0, $0] : [$0] }
        let text = String(decoding: body, as: UTF8.self)
        try connection.inTransaction(.immediate) {
            try connection.run("DROP VIEW IF EXISTS \(Self.view)")
            try connection.run(Self.beginning + text + Self.end)
        }
    }
}
