import Dispatch

/// Rewrites a file with another key, or with other cipher settings. Meanwhile this process has no other connection to
/// the file, and the lock between processes is held, so that no other process opens it.
///
/// Wherever it is interrupted, the file opens with the old or with the new key, and no row is lost:
///
/// 1. Every other connection is locked out. If that is possible, the file is copied: the WAL is checkpointed, the pages
///    are checked, a copy with the new key is created beside the file, read back on a new connection with the new key,
///    compared, synchronized to disk, and renamed to the file's name atomically. Until then the file is unchanged, and
///    an abandoned copy is removed by the next opening or rotation.
/// 2. If another process has the file open, or has opened it while the copy was written, or the file has another hard
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
    /// The indices of both keys in their chain; nil for plaintext.
    var positions: (from: Int?, to: Int) = (nil, 0)
    /// The record of the data key that `to` is, if the file does not have it yet. It becomes part of the new content,
    /// so that the file keeps the record of its own data key until then.
    var newDataKey: DataKeyRecord?

    /// - Throws: ``StrongroomError`` with `locked` naming the processes that have the file open, `diskFull`, `damaged`,
    ///   `rotationFailed`, or the engine's failure; `CancellationError`. The file is unchanged, unless `rotationFailed`
    ///   says otherwise.
    func run() throws -> RotationReport {
        try Self.removeLeftovers(of: file.path)
        let names = try FileStatus.at(file.path)?.links ?? 1
        guard names == 1 || canBeInPlace else {
            throw StrongroomError(
                .unsafeFile,
                """
                "\(file.path)" has another name (a hard link), through which the old content would still be used. \
                Remove the other name, then try again; nothing was changed.
                """,
                database: file.name)
        }
        if names == 1, let source = try exclusiveConnection() {
            source.stop(when: monitor.isCancelled)
            let outcome = Result { try copy(source) }
            if case .success(let report?) = outcome { return report }
            source.close()
            try file.removeSpentJournal()
            do {
                _ = try outcome.get()
            } catch let failure as FileAttributes.NotKept {
                guard canBeInPlace else { throw failure.error }
            } catch {
                throw (error as? StrongroomError)?.code == .interrupted ? CancellationError() : error
            }
        }
        guard canBeInPlace else { throw file.heldByOthers(for: "rewritten") }
        return try rewriteInPlace()
    }

    private var canBeInPlace: Bool { from?.settings == to.settings }

    /// A connection with exclusive access to the file; nil if it cannot be acquired. If the rotation can run in place,
    /// this does not wait for other processes.
    private func exclusiveConnection() throws -> Connection? {
        try file.connectExclusively(key: from, within: canBeInPlace ? .zero : patience) {
            try monitor.report(.waiting, 0, of: 0)
        }
    }

    private func report(_ method: RotationReport.Method, bytes: Int64) -> RotationReport {
        RotationReport(
            method: method, from: positions.from, to: positions.to, previousSettings: from?.settings,
            settings: to.settings, bytes: bytes)
    }
}

// MARK: Leftovers

extension Rotation {
    /// The second hard link that keeps a plaintext file until it has been overwritten.
    static func plaintextPath(of path: String) -> String { FileSystem.hiddenFile(of: path, "plaintext") }

    /// The path of a plaintext file that was encrypted and not erased yet, because the rotation was interrupted; nil
    /// if there is none.
    static func plaintextLeft(of path: String) throws -> String? {
        let plaintext = plaintextPath(of: path)
        guard let left = try FileStatus.ofName(plaintext), left.isRegularFile, let file = try FileStatus.at(path) else {
            return nil
        }
        return file.identity == left.identity ? nil : plaintext
    }

    /// Removes the remains of an interrupted rotation; to be called while the lock between processes is held.
    static func removeLeftovers(of path: String) throws {
        try FileSystem.removeCopy(FileSystem.hiddenFile(of: path, "rotating"))
        let plaintext = plaintextPath(of: path)
        // If the file is missing, the second link is all that is left of it.
        guard let left = try FileSystem.requireRegular(plaintext), let file = try FileStatus.at(path) else { return }
        // Before the copy replaces the file, this is another hard link to the file itself, and any further link belongs
        // to another program.
        if file.identity != left.identity { try FileSystem.overwrite(plaintext) }
        try FileSystem.remove(plaintext)
    }
}

/// Rewriting with a copy that replaces the file.
extension Rotation {
    /// - Parameter source: A connection with exclusive access to the file; afterwards it may only be closed.
    /// - Returns: Nil if another program has opened the file meanwhile.
    private func copy(_ source: Connection) throws -> RotationReport? {
        let descriptors = try file.descriptorsHere()
        var isLogGone = true
        try file.removeLog(of: source) {
            // The WAL has been checkpointed; its plaintext pages must not remain in the free space of the disk.
            if from == nil, try FileSystem.requireRegular(file.logPath) != nil {
                isLogGone = try FileSystem.overwrite(file.logPath)
            }
        }
        // The rollback journal contains the original first page from the change of the journal mode.
        let journal = file.sideFiles.journal
        if from == nil, try FileSystem.requireRegular(journal) != nil {
            isLogGone = try FileSystem.overwrite(journal) && isLogGone
        }
        guard let status = try FileStatus.at(file.path) else { throw file.gone }
        var isReplaced = false
        defer { if !isReplaced { try? Self.removeLeftovers(of: file.path) } }
        var lost: [String] = []
        let copy = try checkedCopy.make(from: source) { copy in
            // First, so that a failure is detected before everything is written.
            lost = try FileAttributes(of: file.path).apply(to: copy)
        }
        if let newDataKey {
            try checkedCopy.change { try $0.record(newDataKey) }
            try copy.file.synchronize()
        }
        // Exclusive access prevents other processes from reading, not from opening.
        guard try !file.isOpenedMeanwhile(since: descriptors, whenWaiting: monitor.check) else { return nil }
        let hasSecondName = try from == nil && FileSystem.addName(Self.plaintextPath(of: file.path), to: file.path)
        // After this check the rotation can no longer be cancelled.
        try monitor.check()
        try copy.file.requireName(file.rotatingPath)
        let old = try ReplacedFile(file.path)
        do {
            try ReplacedFile.replace(old, at: file.path, names: hasSecondName ? 1 : 0, closing: source) {
                try FileSystem.replace(file.path, with: file.rotatingPath)
                isReplaced = true
            } whenReplaced: {
                try whenReplaced()
            } whenClosed: {
                try Self.removeLeftovers(of: file.path)
            }
        } catch {
            throw isReplaced ? incomplete(error) : error
        }
        var report = report(.copy, bytes: status.size)
        report.isOldContentGone = from != nil || hasSecondName && isLogGone
        report.verificationDuration = copy.verification
        report.attributesNotKept = lost
        return report
    }

    /// The copy that replaces the file; its errors are also those of a rewrite in place.
    private var checkedCopy: CheckedCopy {
        CheckedCopy(
            file: file, from: from, to: to, path: file.rotatingPath, monitor: monitor, purpose: "Rotating",
            outcome: "was not rotated, and still has its previous key", code: .rotationFailed)
    }

    /// The error for a failure after the file has its new key. A full disk keeps its own code, because free space is
    /// what is missing.
    func incomplete(_ error: any Error) -> StrongroomError {
        let cause = error as? StrongroomError
        return StrongroomError(
            cause?.code == .diskFull ? .diskFull : .rotationFailed,
            """
            "\(file.path)" has its new key, but the steps after the rotation failed: \(cause?.message ?? "\(error)") \
            Call `verify()`, and `rotate()` again.
            """,
            database: file.name,
            resultCode: cause?.resultCode
        )
    }
}

/// Rewriting each page in place, in one transaction through the WAL.
extension Rotation {
    func rewriteInPlace() throws -> RotationReport {
        guard let size = try FileStatus.at(file.path)?.size else { throw file.gone }
        // The WAL receives every page, with a few bytes before each.
        try FreeSpace.require(size + size / 8 + FreeSpace.margin, at: file.path, for: "Rotating")
        let checking = try rewrite(size)
        let start = ContinuousClock.now
        let connection = try provedWithNewKey()
        defer { connection.close() }
        do {
            // The rotation is committed and can no longer be cancelled.
            try connection.inTransaction(.immediate) {
                try PageVerifier(connection, PageCipher(to))
                    .requireIntact(.verifying, monitor.withoutCancellation, or: checkedCopy.damaged)
            }
            var report = report(.inPlace, bytes: size)
            report.verificationDuration = checking + (ContinuousClock.now - start)
            // Removes the old pages from the file; waits for readers of older snapshots.
            try connection.run("PRAGMA synchronous = FULL")
            report.isOldContentGone = connection.checkpointAfterCommit().isComplete
            connection.close()
            try FileSystem.synchronize(file.path)
            try FileSystem.synchronize(FileSystem.directory(of: file.path))
            return report
        } catch {
            throw incomplete(error)
        }
    }

    /// - Returns: How long the check of the pages before took.
    private func rewrite(_ size: Int64) throws -> Duration {
        let connection = try file.connect(.existing, key: from)
        // Whatever the engine reports, another write through this connection might destroy the file.
        defer { connection.close() }
        try connection.proveKey()
        guard try connection.setJournalMode("WAL") else {
            throw checkedCopy.failed("the file system does not allow a write-ahead log")
        }
        try connection.run("PRAGMA synchronous = FULL")
        try connection.begin(.immediate)
        let start = ContinuousClock.now
        if let from {
            try PageVerifier(connection, PageCipher(from)).requireIntact(.checking, monitor, or: checkedCopy.damaged)
        }
        let checking = ContinuousClock.now - start
        // From here on the rotation can no longer be cancelled.
        try monitor.report(.writing, 0, of: size)
        if let newDataKey { try connection.record(newDataKey) }
        try meteringLog(size) {
            try to.withUnsafeBytes { try connection.rekey($0) }
            try connection.run(.commit)
        }
        monitor.progress(WorkProgress(.writing, size, of: size, .bytes))
        return checking
    }

    /// Reports the progress of work by the length of the WAL, which reaches the size of the file, because the engine
    /// reports none. No report follows the work.
    private func meteringLog(_ size: Int64, _ work: () throws -> Void) rethrows {
        let queue = DispatchQueue(label: "strongroom.log-meter")
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + .milliseconds(200), repeating: .milliseconds(200))
        timer.setEventHandler { [monitor, path = file.logPath] in
            // Progress is optional.
            let length = (try? FileStatus.at(path)?.size) ?? 0
            monitor.progress(WorkProgress(.writing, min(length, size), of: size, .bytes))
        }
        timer.resume()
        defer {
            timer.cancel()
            queue.sync {}
        }
        try work()
    }

    private func provedWithNewKey() throws -> Connection {
        let connection = try file.connect(.existing, key: to)
        do {
            try connection.proveKey()
        } catch let error as StrongroomError where error.code == .notADatabase {
            throw checkedCopy.failed("the engine reported success, but the new key does not open it", error.resultCode)
        }
        return connection
    }
}
