import Baseline
import Strongroom
import TestData

/// A connection of the C baseline.
final class Rival {
    private struct Failure: Error {
        let result: Int32
        let message: String
    }

    let connection: OpaquePointer

    /// Opens a file with its passphrase and makes one query.
    convenience init(_ path: String, passphrase: String) throws {
        var opened: OpaquePointer?
        try self.init(result: baseline_open(path, passphrase, &opened), opened)
    }

    /// Makes a file with the table of the entries, which must not be there yet.
    ///
    /// - Parameter key: A raw key, in the engine's own form.
    convenience init(making path: String, rawKey key: String) throws {
        var opened: OpaquePointer?
        try self.init(result: baseline_make(path, key, &opened), opened)
    }

    /// - Parameters:
    ///   - result: That of opening the connection, which is closed again after a failure.
    ///   - opened: The connection.
    init(result: Int32, _ opened: OpaquePointer?) throws {
        guard result == 0, let connection = opened else {
            defer { baseline_close(opened) }
            throw Failure(result: result, message: String(cString: baseline_message(opened)))
        }
        self.connection = connection
    }

    private var isClosed = false

    deinit {
        close()
    }

    /// Leaves the log and its index, empty, when it is closed.
    func keepLog() throws {
        try check(baseline_keep_log(connection))
    }

    /// Closes the connection, which brings the log into the file; nothing may follow.
    func close() {
        if !isClosed { baseline_close(connection) }
        isClosed = true
    }

    func insert(_ entries: RivalEntries) throws {
        try check(baseline_insert(connection, &entries.list))
    }

    /// Commits each row by itself.
    func insertEach(_ entries: RivalEntries) throws {
        try check(baseline_insert_each(connection, &entries.list))
    }

    func update(_ entries: RivalEntries) throws {
        try check(baseline_update(connection, &entries.list))
    }

    func upsert(_ entries: RivalEntries) throws {
        try check(baseline_upsert(connection, &entries.list))
    }

    func fetch() throws -> Summary {
        var summary = baseline_summary()
        try check(baseline_fetch(connection, &summary))
        return Summary(summary)
    }

    /// Copies one row after the other.
    func stream() throws -> Summary {
        var summary = baseline_summary()
        try check(baseline_stream(connection, &summary))
        return Summary(summary)
    }

    func find(_ keys: [Int64]) throws -> Summary {
        var summary = baseline_summary()
        try check(baseline_point(connection, keys, keys.count, &summary))
        return Summary(summary)
    }

    /// Reads each in a transaction of its own.
    ///
    /// - Parameter checks: Whether the engine is asked at the end of each for a page that was damaged.
    func findEach(_ keys: [Int64], checks: Bool) throws -> Summary {
        var summary = baseline_summary()
        try check(baseline_point_each(connection, keys, keys.count, checks ? 1 : 0, &summary))
        return Summary(summary)
    }

    /// Registers the functions that are measured.
    func registerFunctions() throws {
        try check(baseline_register(connection))
    }

    /// Runs statements.
    func run(_ statements: String) throws {
        try check(baseline_run(connection, statements))
    }

    /// Inserts documents in one transaction.
    func insertDocuments(_ documents: RivalEntries) throws {
        try check(baseline_insert_documents(connection, &documents.list))
    }

    /// Registers a function that does in C for ASCII texts what the triggers of full-text indexes call.
    func registerWords() throws {
        try check(baseline_register_words(connection))
    }

    /// The 20 best documents for each query, in FTS5's syntax.
    func search(_ questions: [String]) throws -> Summary {
        var summary = baseline_summary()
        try check(baseline_search(connection, questions.joined(separator: "\n"), &summary))
        return Summary(summary)
    }

    /// The first value of a query.
    func value(_ sql: String) throws -> Int64 {
        var value: Int64 = 0
        try check(baseline_value(connection, sql, &value))
        return value
    }

    /// What a table of the measures holds.
    func summary<T: SampleTable>(of table: T.Type) throws -> Summary {
        var summary = baseline_summary()
        try check(baseline_summarize(connection, T.schema.name, T.textColumn, &summary))
        return Summary(summary)
    }

    func check(_ result: Int32) throws {
        guard result == 0 else {
            throw Failure(result: result, message: String(cString: baseline_message(connection)))
        }
    }
}

extension Summary {
    fileprivate init(_ summary: baseline_summary) {
        self.init(rows: summary.rows, sum: summary.sum)
    }
}
