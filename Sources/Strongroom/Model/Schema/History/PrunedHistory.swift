/// The table with the number of the newest transaction of which each history has lost a change by its limits, and which
/// can no longer be undone.
enum PrunedHistory {
    static let table = "strongroom_history"
    static let creation =
        "CREATE TABLE IF NOT EXISTS \(table) (name TEXT PRIMARY KEY NOT NULL, pruned INTEGER NOT NULL)"
}
