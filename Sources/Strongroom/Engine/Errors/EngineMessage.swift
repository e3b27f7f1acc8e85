/// The engine's messages for SQLITE_ERROR, as far as they contain no value that was bound or stored.
enum EngineMessage {
    /// - Returns: The message, or its beginning; nil for one that may contain a value before anything else.
    static func withoutValues(_ message: String) -> String? {
        if whole.contains(message) { return message }
        return beginnings.first { message.hasPrefix($0) }
    }

    private static let whole: Set<String> = [
        "integer overflow", "malformed JSON", "JSON cannot hold BLOB values", "json_object() labels must be TEXT",
        "ESCAPE expression must be a single character", "LIKE or GLOB pattern too complex", "unterminated string",
        "argument of ntile must be a positive integer", "second argument to nth_value must be a positive integer",
    ]

    /// What follows quotes a value.
    private static let beginnings = [
        "malformed MATCH expression", "bad JSON path", "JSON path error", "fts5: syntax error", "unknown special query",
    ]
}
