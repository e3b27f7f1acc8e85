/// A statement that transactions run again and again; a connection finds it without looking for its text.
enum TransactionStatement: Int, CaseIterable {
    case begin, beginImmediate, beginExclusive
    /// Reads the first page.
    case firstPage
    case commit
    case rollback

    var sql: String {
        switch self {
        case .begin: "BEGIN DEFERRED"
        case .beginImmediate: "BEGIN IMMEDIATE"
        case .beginExclusive: "BEGIN EXCLUSIVE"
        case .firstPage: "SELECT 1 FROM sqlite_master LIMIT 1"
        case .commit: "COMMIT"
        case .rollback: "ROLLBACK"
        }
    }
}
