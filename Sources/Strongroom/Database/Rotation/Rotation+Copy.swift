/// Rewriting with a copy that replaces the file.
extension Rotation {
    /// - Parameter source: A connection with exclusive access to the file; afterwards it may only be closed.
    func copy(_ source: Connection) throws -> Outcome {
        let descriptors = try file.descriptorsHere()
        var isLogGone = true
        try source.mergeLog {
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
        // Opened when the log is in the file: it takes the number of pages from the file's size, and has no locks. If
        // it cannot be opened, the database is read on the other connection.
        let reader = from?.settings == to.settings ? nil : try? file.connect(.untouched, key: from)
        defer { reader?.close() }
        guard let status = try FileStatus.at(file.path) else { throw gone }
        var isInPlace = false
        defer { if !isInPlace { try? removeLeftovers() } }
        var lost: [String] = []
        let copy = try checkedCopy.make(from: source, reader: reader) { copy in
            // First, so that a failure is detected before everything is written.
            lost = try FileAttributes(of: file.path).apply(to: copy)
        }
        // Exclusive access prevents other processes from reading, not from opening.
        let isOpened = try file.isOpenedMeanwhile(since: descriptors + (reader == nil ? 0 : 1)) {
            try monitor.check()
        }
        guard !isOpened else { throw OpenedMeanwhile() }
        let hasSecondName = try from == nil && FileSystem.addName(plaintextPath, to: file.path)
        reader?.close()
        // After this check the rotation can no longer be cancelled.
        try monitor.check()
        try copy.file.requireName(copyPath)
        try putInPlace(source, ownNames: hasSecondName ? 1 : 0, &isInPlace)
        return Outcome(
            method: .copy,
            bytes: status.size,
            isOldContentGone: from != nil || hasSecondName && isLogGone,
            verification: copy.verification,
            attributesNotKept: lost
        )
    }

    /// Moves the copy into the file's place, and makes the former file unusable for processes that opened it in the
    /// last moment.
    ///
    /// - Parameters:
    ///   - source: The connection with exclusive access to the former file; it is closed.
    ///   - ownNames: The number of additional hard links to the former file that the library has created.
    ///   - isInPlace: Set as soon as the copy is in place.
    private func putInPlace(_ source: Connection, ownNames: Int, _ isInPlace: inout Bool) throws {
        let former = try ReplacedFile(file.path)
        // Closed before the descriptor, because closing the descriptor drops the connection's locks.
        defer { source.close() }
        try FileSystem.replace(file.path, with: copyPath)
        isInPlace = true
        do {
            try whenReplaced()
            try FileSystem.synchronize(FileSystem.directory(of: file.path))
            try former.invalidate(names: ownNames)
        } catch {
            source.close()
            former.retireAfterFailure()
            throw incomplete(error)
        }
        do {
            source.close()
            try removeLeftovers()
            try former.retire()
        } catch {
            throw incomplete(error)
        }
    }

    private var checkedCopy: CheckedCopy {
        CheckedCopy(
            file: file, from: from, to: to, path: copyPath, monitor: monitor, purpose: "Rotating",
            errors: CheckedCopy.Errors(failed: failed, damaged: damagedPages))
    }

    func checkPages(
        _ verifier: PageVerifier, _ phase: WorkProgress.Phase, _ monitor: WorkMonitor? = nil
    ) throws {
        let damaged = try verifier.damagedPages(phase, monitor ?? self.monitor)
        if !damaged.isEmpty { throw damagedPages(damaged.count) }
    }

    private func damagedPages(_ count: Int) -> StrongroomError {
        StrongroomError(
            .damaged,
            """
            "\(file.path)" has \(count.counting("damaged page")), so it was not rotated, and \
            still has its former key. \(StrongroomError.Code.damaged.advice)
            """,
            database: file.name
        )
    }

    func failed(_ reason: String, _ resultCode: ResultCode? = nil) -> StrongroomError {
        StrongroomError(
            .rotationFailed,
            """
            "\(file.path)" was not rotated, and still has its former key: \(reason). Check the disk and its free \
            space, then try again.
            """,
            database: file.name,
            resultCode: resultCode
        )
    }

    /// The error for a failure after the new content was moved into place. A full disk keeps its own code, because free
    /// space is what is missing.
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

    private var gone: StrongroomError {
        StrongroomError(
            .fileMissing, "The file \"\(file.path)\" is gone. Restore it, then try again.", database: file.name)
    }
}
