/// A statement that transactions run again and again; a connection finds it without looking for its text.
enum TransactionStatement: Int, CaseIterable {
    case begin, beginImmediate, beginExclusive
    /// Reads the first page. SQLite before 3.20 reports the table only if a column of it is read.
    case firstPage
    case commit
    case rollback

    var sql: String {
        switch self {
        case .begin: "BEGIN DEFERRED"
        case .beginImmediate: "BEGIN IMMEDIATE"
        case .beginExclusive: "BEGIN EXCLUSIVE"
        case .firstPage: "SELECT rowid FROM sqlite_master LIMIT 1"
        case .commit: "COMMIT"
        case .rollback: "ROLLBACK"
        }
    }
}
