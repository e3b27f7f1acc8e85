/// Rewriting by a copy that takes the file's place.
extension Rotation {
    /// Pages between two looks at whether it is cancelled.
    private static let pagesAtOnce = 2_048

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
        try FreeSpace.require(status.size + FreeSpace.margin, beside: file.path, for: "Rotating")
        var isInPlace = false
        defer { if !isInPlace { try? removeLeftovers() } }
        let copy = try PlainFile(making: copyPath)
        // First, lest it be found out when all is written.
        let lost = try FileAttributes(of: file.path).apply(to: copy)
        let (summary, checking) = try write(source, to: copy, size: status.size)
        let start = ContinuousClock.now
        try verifyCopy(summary, size: status.size)
        let verification = checking + (ContinuousClock.now - start)
        try copy.synchronize()
        // Its lock kept them from reading, not from opening.
        let isOpened = try file.isOpenedMeanwhile(since: descriptors) {
            if watcher.isCancelled() { throw CancellationError() }
        }
        guard !isOpened else { throw OpenedMeanwhile() }
        let hasSecondName = try from == nil && FileSystem.addName(plaintextPath, to: file.path)
        // The last moment at which it can be cancelled.
        if watcher.isCancelled() { throw CancellationError() }
        try copy.requireName(copyPath)
        try putInPlace(source, ownNames: hasSecondName ? 1 : 0, &isInPlace)
        return Outcome(
            method: .copy,
            bytes: status.size,
            isOldContentGone: from != nil || hasSecondName && isLogGone,
            verification: verification,
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

    private var target: DatabaseFile { DatabaseFile(path: copyPath, name: file.name, busyTimeout: 0, log: nil) }

    /// Fills the copy.
    ///
    /// - Returns: What the copy must have, and how long the look at the source took before.
    private func write(
        _ source: Connection, to copy: PlainFile, size: Int64
    ) throws -> (DatabaseSummary, Duration) {
        func tell(_ done: Int, _ total: Int) throws {
            try watcher.tell(.writing, size * Int64(done) / Int64(max(1, total)), size)
        }
        let start = ContinuousClock.now
        guard from?.settings == to.settings else {
            let summary = try source.inSnapshot { try checkedSummary(of: source) }
            let checking = ContinuousClock.now - start
            try whole(source) { try ContentCopy.run(from: source, to: copy, key: to, progress: tell) }
            return (summary, checking)
        }
        // One that could write would be busy for the copying; the file is the connection's alone all the same.
        return try source.inSnapshot {
            let summary = try checkedSummary(of: source)
            let checking = ContinuousClock.now - start
            let connection = try target.connect(.existing, key: to)
            defer { connection.close() }
            try copy.requireOpened(by: connection)
            connection.stop(when: watcher.isCancelled)
            try connection.run("PRAGMA journal_mode = OFF")
            try connection.run("PRAGMA synchronous = OFF")
            try whole(source) {
                try connection.copyPages(from: source, pagesAtOnce: Self.pagesAtOnce, progress: tell)
            }
            return (summary, checking)
        }
    }

    /// Checks every page of the file, and notes what a copy must have; in a transaction.
    func checkedSummary(of connection: Connection) throws -> DatabaseSummary {
        if let from {
            try checkPages(PageVerifier(connection, PageCipher(from, settings: from.settings)), .checking)
        }
        return try whole(connection) { try DatabaseSummary(connection) }
    }

    func checkPages(
        _ verifier: PageVerifier, _ phase: RotationProgress.Phase, _ watcher: RotationWatcher? = nil
    ) throws {
        let watcher = watcher ?? self.watcher
        let pageSize = Int64(verifier.contents.pages.pageSize)
        let damaged = try verifier.damagedPages { done in
            try watcher.tell(phase, Int64(done) * pageSize, Int64(verifier.count) * pageSize)
        }
        if !damaged.isEmpty { throw damagedPages(damaged.count) }
    }

    /// Runs work that reads a file; the engine has no meaningful error for a damaged page.
    func whole<T>(_ connection: Connection, _ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as StrongroomError where error.code != .diskFull && connection.hasMetDamage {
            throw damagedPages(1)
        }
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

    /// Reads the copy with the new key and compares it.
    private func verifyCopy(_ summary: DatabaseSummary, size: Int64) throws {
        try watcher.tell(.verifying, 0, size)
        try checkPages(
            PageVerifier(closed: PlainFile(copyPath, followsLinks: false), PageCipher(to, settings: to.settings)),
            .verifying)
        let connection = try target.connect(.readOnly, key: to)
        defer { connection.close() }
        connection.stop(when: watcher.isCancelled)
        do {
            try connection.proveKey()
        } catch let error as StrongroomError where error.code == .notADatabase {
            throw failed("the copy does not open with the new key", error.resultCode)
        }
        try verify(connection, summary)
        try watcher.tell(.verifying, size, size)
    }

    /// Reads everything through a connection with the new key. A defect that the file had before, such as an index that
    /// does not fit its table, is carried over.
    private func verify(_ connection: Connection, _ summary: DatabaseSummary) throws {
        let copy = try DatabaseSummary(connection)
        if copy.defects != [[.text("ok")]], copy.defects != summary.defects {
            throw failed("the copy is not whole: \(copy.defects.first?.first.map(Self.words) ?? "no answer")")
        }
        if let difference = summary.difference(to: copy) { throw failed(difference) }
    }

    private static func words(_ value: Value) -> String {
        if case .text(let text) = value { return text }
        return "no text"
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
