/// Reads what is committed to a database, by any process, as encrypted pages: those of each commit, in order and
/// without a gap, from the WAL.
///
/// It always has a read transaction open, on one of two connections. A new one begins before the previous one ends, so
/// no frame is overwritten before it is read. While the transaction needs frames of the WAL, the engine does not
/// restart the WAL; while it needs none, because all of them are in the file, the engine may restart the WAL once, and
/// does not checkpoint the new frames ("WAL-mode File Format", section 2.2, sqlite.org/walformat.html).
///
/// Not `Sendable`: its owner serializes the calls.
package final class CommitReader {
    package enum Finding: Sendable, Equatable {
        /// Nothing was committed.
        case nothing
        /// There are batches to read.
        case commits
        /// It is not known which pages have changed: ``compare(with:)`` tells.
        case gap
    }

    package let form: PageForm
    private let cipher: PageCipher
    private let open: () throws -> Connection
    /// Holds the read transaction.
    private var holder: Connection?
    /// Has no transaction, unless a batch is being read.
    private var spare: Connection?
    /// Up to where commits have been read; nil if that is not known.
    private var position: PublishedLog?
    private var pending: PendingPages?
    /// The commit of the transaction that ``hold(at:)`` has begun.
    private var held: PublishedLog?
    /// Batches that were read ahead, so that the engine can restart the WAL.
    private var ahead: [PageBatch] = []
    /// Whether the holder's transaction needs no earlier frame than the last one.
    private var isNewest = false
    /// Whether it needs no frame at all.
    private var isReleased = false

    init(_ cipher: PageCipher, open: @escaping () throws -> Connection) {
        form = PageForm(cipher.layout)
        self.cipher = cipher
        self.open = open
    }

    deinit { close() }

    /// Closes the connections. What is committed until the next call is a gap.
    package func close() {
        (pending, ahead, held) = (nil, [], nil)
        position = nil
        for connection in [spare, holder].compactMap(\.self) {
            connection.rollBack()
            connection.close()
        }
        (spare, holder) = (nil, nil)
    }

    /// The number of frames in the WAL when it was last read; it grows while the reader holds its transaction.
    package private(set) var logLength = 0

    /// Looks for commits since those that have been read.
    package func findCommits() throws -> Finding {
        try closingAfterFailure { ahead.isEmpty ? try findPending() : .commits }
    }

    /// Up to where all commits have been read by the caller; nil if that is not known.
    package var readPosition: PublishedLog? { ahead.isEmpty && pending == nil ? position : nil }

    /// Reads the commits since those that have been read into memory, and needs no frame of the WAL afterwards. To be
    /// called before a checkpoint, so that it reaches the end of the WAL, and after it, so that the next writer
    /// restarts the WAL.
    ///
    /// - Parameters:
    ///   - limit: The largest number of pages of a batch, above 0.
    ///   - mostBytes: The limit of the memory, in bytes; beyond it the reader is closed, and what was committed is a
    ///     gap.
    package func readAhead(limit: Int, mostBytes: Int) throws {
        try closingAfterFailure {
            // Pages that differ are read in their own time: the transaction has what it needs, however long that takes.
            while try pending?.comesFromComparison != true && findPending() == .commits {
                while pending != nil {
                    ahead.append(try readPending(limit))
                    guard ahead.reduce(0, { $0 + $1.content.count }) <= mostBytes else { return close() }
                }
            }
        }
    }

    private func findPending() throws -> Finding {
        guard pending == nil else { return .commits }
        guard let holder, let position else { return .gap }
        // The transaction of the holder may be old; the index is always current.
        if let published = try holder.publishedLog() {
            logLength = published.frames
            guard published != position else {
                try renewIfUseful(published)
                return .nothing
            }
        }
        // If the index is half written, as a killed process leaves it, the beginning of a transaction repairs it.
        let (spare, log) = try beginTransaction()
        guard let log, let changed = try frames(of: spare, after: position, to: log) else {
            spare.rollBack()
            self.position = nil
            return .gap
        }
        guard !changed.isEmpty else {
            // The WAL was restarted.
            moveOn(to: log)
            return .nothing
        }
        pending = PendingPages(
            log: log, databasePages: log.pages, source: .frames(changed), PageAudit(cipher, spare, log))
        return .commits
    }

    /// Finds the pages whose versions differ, so that the next batches bring a copy with these versions to the state of
    /// the last commit.
    package func compare(with versions: PageVersions) throws -> (different: Int, all: Int) {
        try closingAfterFailure {
            (pending, ahead) = (nil, [])
            if holder == nil { holder = try open() }
            let (spare, log): (Connection, PublishedLog?) =
                if let connection = self.spare, let held { (connection, held) } else { try beginTransaction() }
            held = nil
            guard let log else {
                throw StrongroomError(
                    .notReplicable,
                    """
                    The database is not in WAL mode, or its WAL could not be read, so its commits cannot be followed. \
                    Open it for writing with Strongroom, which switches it to WAL mode.
                    """,
                    database: spare.database)
            }
            let pages = try DatabasePages(of: spare, pageSize: form.size, in: log)
            guard pages.isLogIntact else { throw StrongroomError.shortened(spare.database) }
            let audit = PageAudit(cipher, spare, log)
            // All of them before the first batch is shipped, which would belong to no state without the others.
            let different = try pages.numbers { page, number in
                guard PageVersion(page, at: form.vectorOffset) != versions[number] else { return false }
                try audit.require(page, number)
                return true
            }
            pending = PendingPages(log: log, databasePages: pages.count, source: .pages(pages, different), audit)
            return (different.count, pages.count)
        }
    }

    /// Begins the transaction of the next ``compare(with:)`` now, if the last commit is a given one.
    package func hold(at position: PublishedLog) throws -> Bool {
        try closingAfterFailure {
            if holder == nil { holder = try open() }
            let (spare, log) = try beginTransaction()
            guard let log, log == position else {
                spare.rollBack()
                return false
            }
            held = log
            return true
        }
    }

    /// Begins behind what is committed, if the file has all of it.
    ///
    /// - Parameter isUnchanged: Whether nothing of it needs to be read; called in the transaction.
    /// - Returns: Whether it was begun.
    package func begin(if isUnchanged: () throws -> Bool) throws -> Bool {
        try closingAfterFailure {
            (pending, ahead, position) = (nil, [], nil)
            if holder == nil { holder = try open() }
            let (spare, log) = try beginTransaction()
            guard let log, log.frames == 0, try isUnchanged() else {
                spare.rollBack()
                return false
            }
            moveOn(to: log)
            return true
        }
    }

    /// Checkpoints the WAL, and flushes the file to the disk.
    ///
    /// - Returns: Whether the file has all that is committed, and all of it has been read.
    package func checkpoint() throws -> Bool {
        try closingAfterFailure {
            guard let holder, let position = readPosition, let before = try holder.publishedLog(), before == position
            else { return false }
            if !before.isInFile {
                let connection = try spare ?? open()
                spare = connection
                guard connection.checkpointWithoutWaiting() else { return false }
            }
            try holder.databaseFile().synchronize()
            guard let log = try holder.publishedLog() else { return false }
            return log == position && log.isInFile
        }
    }

    /// The next pages of the commits that were found.
    package func nextBatch(limit: Int) throws -> PageBatch? {
        try closingAfterFailure {
            guard ahead.isEmpty else { return ahead.removeFirst() }
            return pending == nil ? nil : try readPending(limit)
        }
    }

    private func readPending(_ limit: Int) throws -> PageBatch {
        guard var next = pending, let spare else { throw StrongroomError.shortened("") }
        let batch = try next.read(limit, spare, form)
        pending = next
        if batch.isLast {
            pending = nil
            moveOn(to: next.log)
        }
        return batch
    }

    // MARK: Transactions

    /// Begins a transaction on the spare connection; the holder's continues.
    private func beginTransaction() throws -> (Connection, PublishedLog?) {
        let connection = try spare ?? open()
        spare = connection
        connection.beginWork(.unshared)
        try connection.beginSnapshot()
        return (connection, try connection.publishedLog())
    }

    /// The spare connection's transaction replaces the holder's.
    private func moveOn(to log: PublishedLog) {
        holder?.rollBack()
        (holder, spare) = (spare, holder)
        position = log
        (isNewest, isReleased) = (false, false)
    }

    /// Begins a new transaction if the engine can then checkpoint more of the WAL, or restart it.
    private func renewIfUseful(_ published: PublishedLog) throws {
        guard published.isInFile ? !isReleased : !isNewest, let position else { return }
        let (spare, log) = try beginTransaction()
        guard let log, log == position else { return spare.rollBack() }
        moveOn(to: log)
        // Commits since then are found by the next call.
        (isNewest, isReleased) = (true, published.isInFile)
    }

    private func closingAfterFailure<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch {
            close()
            throw error
        }
    }

    // MARK: Frames

    /// The latest frame of each page that was written after a position.
    ///
    /// - Returns: Nil if frames have been overwritten, or are not valid.
    private func frames(
        of connection: Connection, after position: PublishedLog, to log: PublishedLog
    ) throws -> [(page: Int, frame: Int)]? {
        let isContinued = log.salts == position.salts || position.frames == 0 && log.frames == 0
        // A restart of the WAL: the frames of the previous one have all been read, and were all in the file.
        guard isContinued ? log.frames >= position.frames : position.isInFile else { return nil }
        let first = isContinued ? position.frames : 0
        guard log.frames > first else { return [] }
        let file = try connection.logFile()
        guard let header = try LogHeader(file), header.isSound, header.salts == log.salts,
            header.pageSize == form.size
        else { return nil }
        var checksum =
            isContinued && first > 0
            ? LogChecksum(first: position.checksum.first, second: position.checksum.second) : header.stored
        var latest: [Int: Int] = [:]
        var isSound = true
        try LogScan.forEachFrame(of: file, header, from: first, count: log.frames - first) { number, frame in
            checksum = frame.checksum(after: checksum)
            isSound = isSound && frame.salts == log.salts && checksum == frame.stored
            latest[frame.page] = number
        }
        let end = LogChecksum(first: log.checksum.first, second: log.checksum.second)
        guard isSound, checksum == end else { return nil }
        return latest.filter { $0.key <= log.pages }.sorted { $0.key < $1.key }.map { (page: $0, frame: $1) }
    }
}

/// Verifies the pages of one state before they are carried to a copy: a page that the disk has damaged must not become
/// the copy's newest version of it. Valid as long as the connection's transaction.
///
/// Not `Sendable`: its owner serializes the calls.
final class PageAudit {
    private let cipher: PageCipher
    private let connection: Connection
    private let log: PublishedLog
    /// The unused pages, of which some may never have been written and are holes in the file; nil before the first page
    /// of zeros.
    private var unused: PageSet?

    init(_ cipher: PageCipher, _ connection: Connection, _ log: PublishedLog) {
        (self.cipher, self.connection, self.log) = (cipher, connection, log)
    }

    /// - Throws: ``StrongroomError`` with `damaged` if the page's authentication code is not valid.
    func require(_ page: UnsafeRawBufferPointer, _ number: Int) throws {
        guard number != cipher.layout.lockBytePage, !cipher.isAuthentic(page, number: number),
            try !page.allSatisfy({ $0 == 0 }) || !isUnused(number)
        else { return }
        throw StrongroomError(
            .damaged,
            """
            The disk has damaged page \(number) of the file: its authentication code is wrong. Nothing of this state \
            is shipped, and the replica keeps the states before. Restore the newest one, or name what is damaged with \
            `verify` and recover the rest with `salvage`.
            """,
            database: connection.database)
    }

    private func isUnused(_ number: Int) throws -> Bool {
        if let unused { return unused.contains(number) }
        let pages = try DatabasePages(of: connection, pageSize: cipher.layout.pageSize, in: log)
        let leaves = try FreeList(PageContents(pages: pages, cipher: cipher)).leaves
        unused = leaves
        return leaves.contains(number)
    }
}

/// What shows, without the key, that a database file has not been written since: as long as it has the same stamp and
/// no WAL, no program has changed the file or its envelope.
///
/// The time of a file's last change cannot be set by programs, and grows with each write, unlike that of its content. A
/// write in the same tick of the system's clock leaves it as it was, so a stamp counts only if the file still has it
/// after ``FileStamp/tick``.
package struct FileStamp: Sendable, Equatable {
    /// Longer than the distance of two times that file systems distinguish, unless they count whole seconds.
    package static let tick = Duration.milliseconds(20)
    package static let length = Digests.length

    package let bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }

    /// The stamp of a file; nil if there is none, or its file system counts whole seconds.
    static func of(_ file: DatabaseFile) throws -> FileStamp? {
        guard let status = try FileStatus.at(file.path), status.isRegularFile,
            status.changed.components.attoseconds != 0
        else { return nil }
        let envelope = try EnvelopeFile(databasePath: file.path, name: file.name).stored() ?? []
        let content = "\(status.identity.node) \(status.size) \(status.modified) \(status.changed) "
        return FileStamp(bytes: Digests.sha256(Array(content.utf8) + Digests.sha256(envelope)))
    }

    /// The stamp of a file that has every commit; nil also if there is a WAL that is not empty, or a journal.
    static func ofCompleteFile(_ file: DatabaseFile) throws -> FileStamp? {
        guard try FileStatus.at(file.logPath)?.size ?? 0 == 0, try FileStatus.at(file.sideFiles.journal) == nil
        else { return nil }
        return try of(file)
    }
}
