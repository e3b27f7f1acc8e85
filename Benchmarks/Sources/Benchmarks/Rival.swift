import Baseline

/// A connection of the C baseline.
final class Rival {
    private struct Failure: Error {
        let result: Int32
        let message: String
    }

    private let connection: OpaquePointer

    /// Opens a file with its passphrase and makes one query.
    init(_ path: String, passphrase: String) throws {
        var opened: OpaquePointer?
        let result = baseline_open(path, passphrase, &opened)
        guard result == 0, let connection = opened else {
            defer { baseline_close(opened) }
            throw Failure(result: result, message: String(cString: baseline_message(opened)))
        }
        self.connection = connection
    }

    deinit {
        baseline_close(connection)
    }

    func insert(_ entries: RivalEntries) throws {
        try check(baseline_insert(connection, &entries.list))
    }

    func fetch() throws -> Summary {
        var summary = baseline_summary()
        try check(baseline_fetch(connection, &summary))
        return Summary(summary)
    }

    func find(_ keys: [Int64]) throws -> Summary {
        var summary = baseline_summary()
        try check(baseline_point(connection, keys, keys.count, &summary))
        return Summary(summary)
    }

    private func check(_ result: Int32) throws {
        guard result == 0 else {
            throw Failure(result: result, message: String(cString: baseline_message(connection)))
        }
    }
}

/// The same entries as C keeps them.
final class RivalEntries {
    private struct OutOfMemory: Error {}

    fileprivate var list = baseline_list()

    init(_ entries: [Entry]) throws {
        for entry in entries { try append(entry) }
    }

    deinit {
        baseline_free(&list)
    }

    private func append(_ entry: Entry) throws {
        let isAppended = baseline_append(
            &list,
            0,
            entry.name, Int32(entry.name.utf8.count),
            entry.size,
            entry.score,
            entry.digest, Int32(entry.digest.count),
            entry.note, Int32(entry.note?.utf8.count ?? 0)
        )
        guard isAppended != 0 else { throw OutOfMemory() }
    }
}
