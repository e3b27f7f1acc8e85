/// Rewrites a file with another key, or with other cipher settings. Meanwhile this process has no other connection to
/// the file, and the lock between processes is held, so that no other process opens it.
///
/// Wherever it is interrupted, the file opens with the old or with the new key, and no row is lost:
///
/// 1. Every other connection is locked out. If that is possible, the file is copied: the WAL is checkpointed, the pages
///    are checked, a copy with the new key is made beside the file, read back on a new connection with the new key,
///    compared, synchronized to disk, and renamed to the file's name atomically. Until then the file is unchanged, and
///    an abandoned copy is removed by the next opening or rotation.
/// 2. If another process has the file open, or has opened it while the copy was made, or the file has another hard
///    link, and only the key changes, each page is rewritten in one transaction through the WAL; other processes detect
///    this at their next transaction and look up the key again. The connection that rewrote the file is closed at once,
///    whatever the engine reports, and the rotation succeeds only if a new connection has proved the new key.
struct Rotation: Sendable {
    let file: DatabaseFile
    /// The present key; nil for plaintext.
    let from: DerivedKey?
    let to: DerivedKey
    /// How long to wait for other processes when exclusive access is needed.
    let patience: Duration
    let monitor: WorkMonitor
    /// Called when another file has replaced the one at the path, which is still open.
    let whenReplaced: @Sendable () throws -> Void

    /// What was done, without the positions of the keys in their chain.
    struct Outcome {
        let method: RotationReport.Method
        let bytes: Int64
        var isOldContentGone = true
        var verification = Duration.zero
        var attributesNotKept: [String] = []
    }

    /// Another process has opened the file while it was copied.
    struct OpenedMeanwhile: Error {}

    /// - Throws: ``StrongroomError`` with `locked` naming the processes that have the file open, `diskFull`, `damaged`,
    ///   `rotationFailed`, or the engine's failure; `CancellationError`. The file is unchanged, unless `rotationFailed`
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

    /// Whether only the key changes.
    private var canBeInPlace: Bool { from?.settings == to.settings }

    /// A connection with exclusive access to the file; nil if it cannot be acquired. If the rotation can run in place,
    /// this does not wait for other processes.
    private func wholeFile() throws -> Connection? {
        try file.connectExclusively(key: from, within: canBeInPlace ? .zero : patience) {
            try monitor.report(.waiting, 0, of: 0)
        }
    }

    private var hasOtherNames: StrongroomError {
        StrongroomError(
            .unsafeFile,
            """
            "\(file.path)" has another name (a hard link), through which the old content would still be used. Remove \
            the other name, then try again; nothing was changed.
            """,
            database: file.name
        )
    }
}

// MARK: Leftovers

extension Rotation {
    /// The path of the copy.
    var copyPath: String { file.rotatingPath }
    /// The second hard link that keeps a plaintext file until it has been overwritten.
    var plaintextPath: String { FileSystem.companion(of: file.path, "plaintext") }

    /// Removes the remains of an interrupted rotation; to be called while the lock between processes is held.
    func removeLeftovers() throws {
        try Self.removeLeftovers(of: file.path)
    }

    /// The path of a plaintext file that was encrypted and not erased yet, because the rotation was interrupted; nil
    /// if there is none.
    static func plaintextLeft(of path: String) throws -> String? {
        let plaintext = FileSystem.companion(of: path, "plaintext")
        guard let left = try FileStatus.ofName(plaintext), left.isRegularFile, let file = try FileStatus.at(path) else {
            return nil
        }
        return file.identity == left.identity ? nil : plaintext
    }

    static func removeLeftovers(of path: String) throws {
        try FileSystem.removeCopy(FileSystem.companion(of: path, "rotating"))
        let plaintext = FileSystem.companion(of: path, "plaintext")
        // If the file is missing, the second link is all that is left of it.
        guard let left = try FileSystem.requireRegular(plaintext), let file = try FileStatus.at(path) else { return }
        // Before the copy is in place, this is another hard link to the file itself, and any further link belongs to
        // another program.
        if file.identity != left.identity { try FileSystem.overwrite(plaintext) }
        try FileSystem.remove(plaintext)
    }
}
