/// What a backup, or a restoring of one, has copied.
public struct BackupReport: Sendable, Hashable {
    /// Where the copy lies.
    public let path: String
    /// Its size in bytes.
    public let bytes: Int64
    /// Its tables that have rows of their own, with those that the library keeps for itself.
    public let tables: Int
    /// The rows of all tables.
    public let rows: Int64
    /// What the engine found wrong in the copy as in the database, such as an index that does not fit its table; nil
    /// for nothing.
    public let defect: String?
    /// How long it took.
    public let duration: Duration
    /// The names of the extended attributes of the former database that the restored one could not be given; of a
    /// backup none.
    public internal(set) var attributesNotKept: [String] = []

    /// - Parameters:
    ///   - file: The finished copy.
    ///   - path: Where it is to lie; nil for where it lies.
    init(_ file: String, as path: String? = nil, _ summary: DatabaseSummary, since start: ContinuousClock.Instant)
        throws
    {
        self.path = path ?? file
        bytes = try FileStatus.at(file)?.size ?? 0
        tables = summary.rows.count
        rows = summary.rows.values.reduce(0, +)
        let words = summary.defects.first?.first?.asText
        defect = words == "ok" ? nil : words ?? "integrity_check gave no answer"
        duration = ContinuousClock.now - start
    }
}
