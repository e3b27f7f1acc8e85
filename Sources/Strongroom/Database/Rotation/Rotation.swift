/// Rewrites a file with another key, or with other cipher settings; nobody else in this process has a connection to it
/// meanwhile, and the lock between processes is held, so that nobody opens it.
///
/// Wherever it is interrupted, the file opens with the key before or with the key after, and every row is there:
///
/// 1. Every other connection is kept out. When that is possible, the file is copied: the log is brought into it, its
///    pages are checked, a copy with the new key is made beside it, read again on a fresh connection with the new key,
///    compared, brought to the disk, and put in the file's place atomically. Until then the file is as it was, and
///    the copy is thrown away by whoever comes next.
/// 2. When another process has the file open, or has opened it while the copy was made, or the file has another name,
///    and only the key changes, each page is rewritten in one transaction through the log; the others notice at their
///    next transaction and find the key anew. A connection through which was rewritten is closed at once, whatever the
///    engine says, and the rotation counts only when a fresh one has proved the new key.
struct Rotation {
    let file: DatabaseFile
    /// The key that opens it; nil for plaintext.
    let from: DerivedKey?
    let to: DerivedKey
    /// How long to wait for other processes when exclusive access is needed.
    let patience: Duration
    let monitor: WorkMonitor
    /// Called when another file lies at the path, and the one that lay there before is still open.
    let whenReplaced: () throws -> Void

    /// What was done, but for the places of the keys in their chain.
    struct Outcome {
        let method: RotationReport.Method
        let bytes: Int64
        var isOldContentGone = true
        var verification = Duration.zero
        var attributesNotKept: [String] = []
    }

    /// Somebody has opened the file while it was copied.
    struct OpenedMeanwhile: Error {}

    /// - Throws: ``StrongroomError`` with `locked` naming those who hold the file, `diskFull`, `damaged`,
    ///   `rotationFailed`, or the engine's failure; `CancellationError`. The file is as it was, unless `rotationFailed`
    ///   says otherwise.
    func run() throws -> Outcome {
        try removeLeftovers()
        let names = try FileStatus.at(file.path)?.links ?? 1
        guard names == 1 || canBeInPlace else { throw hasOtherNames }
        if names == 1, let source = try wholeFile() {
            do {
                source.stop(when: monitor.isCancelled)
                return try copy(source)
            } catch {
                source.close()
                try file.removeSpentJournal()
                switch error {
                case is OpenedMeanwhile: break
                case let error as FileAttributes.NotKept:
                    guard canBeInPlace else { throw error.error }
                default: throw (error as? StrongroomError)?.code == .interrupted ? CancellationError() : error
                }
            }
        }
        guard canBeInPlace else { throw file.heldByOthers(for: "rewritten") }
        return try rewriteInPlace()
    }

    /// Whether nothing changes but the key.
    private var canBeInPlace: Bool { from?.settings == to.settings }

    /// A connection that has exclusive access to the file, if it can be had. In place nobody needs to be waited for.
    private func wholeFile() throws -> Connection? {
        try file.connectAlone(key: from, within: canBeInPlace ? .zero : patience) {
            try monitor.report(.waiting, 0, of: 0)
        }
    }

    private var hasOtherNames: StrongroomError {
        StrongroomError(
            .rotationFailed,
            """
            "\(file.path)" has another name (a hard link), under which the old content would go on being used. Remove \
            the other name, then try again; nothing was changed.
            """,
            database: file.name
        )
    }
}

// MARK: Leftovers

extension Rotation {
    /// Where the copy is made.
    var copyPath: String { FileSystem.companion(of: file.path, "rotating") }
    /// The second name under which a plaintext file stays until it has been overwritten.
    var plaintextPath: String { FileSystem.companion(of: file.path, "plaintext") }

    /// Removes what a rotation left that was interrupted; to be called with the lock between processes held.
    func removeLeftovers() throws {
        try Self.removeLeftovers(of: file.path)
    }

    static func removeLeftovers(of path: String) throws {
        try FileSystem.removeCopy(FileSystem.companion(of: path, "rotating"))
        let plaintext = FileSystem.companion(of: path, "plaintext")
        // Without the file it would be all that is left.
        guard let left = try FileSystem.requireRegular(plaintext), let file = try FileStatus.at(path) else { return }
        // Before the copy is in its place it is another name of the file itself, and a further name is somebody else's.
        if file.identity != left.identity { try FileSystem.overwrite(plaintext) }
        try FileSystem.remove(plaintext)
    }
}
