/// Rewriting by a copy that takes the file's place.
extension Rotation {
    /// - Parameter source: A connection that has exclusive access to the file; nothing may be done with it afterwards
    ///   but closing.
    func copy(_ source: Connection) throws -> Outcome {
        let descriptors = try file.descriptorsHere()
        var isLogGone = true
        try source.mergeLog {
            // Its pages are in the file; in the log they would be left in the free space of the disk.
            if from == nil, try FileSystem.requireRegular(file.path + "-wal") != nil {
                isLogGone = try FileSystem.overwrite(file.path + "-wal")
            }
        }
        // It kept the first page for the moment in which the log was given up.
        if from == nil, try FileSystem.requireRegular(file.path + "-journal") != nil {
            isLogGone = try FileSystem.overwrite(file.path + "-journal") && isLogGone
        }
        guard let status = try FileStatus.at(file.path) else { throw gone }
        var isInPlace = false
        defer { if !isInPlace { try? removeLeftovers() } }
        var lost: [String] = []
        let copy = try checkedCopy.make(from: source) { copy in
            // First, lest it be found out when all is written.
            lost = try FileAttributes(of: file.path).apply(to: copy)
        }
        // Its lock kept them from reading, not from opening.
        let isOpened = try file.isOpenedMeanwhile(since: descriptors) {
            try monitor.check()
        }
        guard !isOpened else { throw OpenedMeanwhile() }
        let hasSecondName = try from == nil && FileSystem.addName(plaintextPath, to: file.path)
        // The last moment at which it can be cancelled.
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

    /// Puts the copy in the file's place, and keeps those from it who opened the former file in the last moment.
    ///
    /// - Parameters:
    ///   - source: The connection that has the former file alone; it is closed.
    ///   - ownNames: How many further names of the library's own the former file has.
    ///   - isInPlace: Is set as soon as the copy lies there.
    private func putInPlace(_ source: Connection, ownNames: Int, _ isInPlace: inout Bool) throws {
        let former = try ReplacedFile(file.path)
        // Before the descriptor, which would take its locks along.
        defer { source.close() }
        try FileSystem.replace(file.path, with: copyPath)
        isInPlace = true
        do {
            try whenReplaced()
            try FileSystem.synchronize(FileSystem.directory(of: file.path))
            try former.spoil(names: ownNames)
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
            errors: CheckedCopy.Errors(failed: failed, damaged: damagedPages), checksSource: true)
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
            "\(file.path)" has \(count == 1 ? "a damaged page" : "\(count) damaged pages"), so it was not rotated, and \
            is on the key that it had. \(StrongroomError.Code.damaged.advice)
            """,
            database: file.name
        )
    }

    func failed(_ reason: String, _ resultCode: ResultCode? = nil) -> StrongroomError {
        StrongroomError(
            .rotationFailed,
            """
            "\(file.path)" was not rotated, and is on the key that it had: \(reason). Look at the disk and its free \
            space, then try again.
            """,
            database: file.name,
            resultCode: resultCode
        )
    }

    /// The error for what failed when the new content was in its place. A full disk keeps its own code: there it is
    /// space that is missing.
    func incomplete(_ error: any Error) -> StrongroomError {
        let cause = error as? StrongroomError
        return StrongroomError(
            cause?.code == .diskFull ? .diskFull : .rotationFailed,
            """
            "\(file.path)" is on its new key, but what is to be done after that failed: \
            \(cause?.message ?? "\(error)") Call `verify()`, and `rotate()` again.
            """,
            database: file.name,
            resultCode: cause?.resultCode
        )
    }

    private var gone: StrongroomError {
        StrongroomError(
            .fileMissing, "The file \"\(file.path)\" is gone. Bring it back, then try again.", database: file.name)
    }
}
