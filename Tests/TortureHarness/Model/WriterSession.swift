/// What one process wrote: groups of rows, each in one transaction, one after the other.
final class WriterSession {
    let name: String
    let groups: [[String]]
    /// How many groups were acknowledged.
    var acknowledged = 0
    /// Whether the group after those may have been committed: its process was killed before it could tell.
    var mayHaveOneMore = false
    /// Whether all of it may be gone: a backup from before was, or may have been, restored.
    var mayBeGone = false

    init(_ name: String, groups: Int, rows: Int) {
        self.name = name
        self.groups = (0..<groups).map { group in (0..<rows).map { "\(name).\(group).\($0)" } }
    }

    var acknowledgedRows: Int { groups.prefix(acknowledged).reduce(0) { $0 + $1.count } }

    /// The statements, one a line.
    var script: String { groups.map { StoredRow.insertion($0) + ";\n" }.joined() }

    /// All of it was written.
    func acknowledgeAll() { acknowledged = groups.count }
}
