/// The result of a backup or of its restore.
public struct BackupReport: Sendable, Hashable {
    /// The path of the copy.
    public let path: String
    /// Its size in bytes.
    public let bytes: Int64
    /// The number of its tables with rows of their own, including the library's internal ones.
    public let tables: Int
    /// The rows of all tables.
    public let rows: Int64
    /// The first defect that the engine found in the structure of the copy and of the database, such as an index that
    /// does not match its table; nil for none, and for a backup whose structure was not checked.
    public let defect: String?
    /// How long it took.
    public let duration: Duration
    /// The names of the former database's extended attributes that could not be set on the restored one; empty for a
    /// backup.
    public internal(set) var attributesNotKept: [String] = []

    /// - Parameters:
    ///   - file: The finished copy.
    ///   - path: Its final path; nil for its present one.
    init(
        _ file: String, as path: String? = nil, _ content: CheckedCopy.Content, since start: ContinuousClock.Instant
    ) throws {
        self.path = path ?? file
        bytes = try FileStatus.at(file)?.size ?? 0
        tables = content.rowCounts.count
        rows = content.rowCounts.reduce(0, +)
        defect = content.defect
        duration = ContinuousClock.now - start
    }
}
