import Strongroom

/// Ships the commits of one store; only the loop of its ``Replication`` uses it, one iteration after the other.
actor Shipper {
    private let replica: Replica
    let folder: ReplicaFolder
    private let reading: ReadingThread
    private let bases: BaseShipper
    /// Nil before the replica was read, and after a failure: it is read again then.
    private(set) var writer: ReplicaWriter?
    /// Whether the reader's position is the state of the replica.
    private(set) var isAtState = false
    /// The state of the replica while it is that of the file; the replica need not be read then.
    private var unchanged: ShippedState?
    /// What this store has shipped.
    private var shipped = (objects: 0, bytes: 0)
    private let session = ObjectHeader.Identifier.random()
    /// Whether the replica of another file may be continued.
    private var mayTakeOver: Bool
    private(set) var record: ReplicaRecordFile?
    /// A change of which it is not known whether the replica has it.
    private(set) var unconfirmed: ReplicaObject?

    init(_ replica: Replica, _ folder: ReplicaFolder, _ reading: ReadingThread) {
        self.replica = replica
        self.folder = folder
        self.reading = reading
        bases = BaseShipper(folder)
        mayTakeOver = replica.takesOver
    }

    /// Whether this process ships the commits of the database.
    var isShipper: Bool { record != nil }

    /// How far the replica is.
    struct Progress: Sendable {
        /// The number of the newest change; 0 for none.
        let change: UInt64
        /// What this store has shipped.
        let shipped: (objects: Int, bytes: Int)
    }

    var progress: Progress { Progress(change: writer?.number ?? unchanged?.number ?? 0, shipped: shipped) }

    /// Ships every commit that was made before the call.
    ///
    /// - Parameters:
    ///   - isLast: Whether the store is closing, so that no base is begun.
    ///   - begun: Called before commits are searched.
    ///   - reached: Called when what was found is in the replica, with the result of `begun`.
    /// - Returns: False if another process of this host ships them.
    /// - Throws: What the object store or the file throws; `notOwner`. The next call reads the replica again.
    func ship(
        _ store: Store, isLast: Bool, begun: @Sendable () -> Int, reached: @Sendable (Int, Progress) -> Void
    ) async throws -> Bool {
        do {
            guard try isShipping(store) else { return false }
            try await reachPosition(store)
            while try await shipOnce(store, isLast: isLast, begun, reached) {}
            if isLast { try? await recordState(store) }
            return true
        } catch {
            unconfirmed = writer?.unconfirmed ?? unconfirmed
            (writer, unchanged) = (nil, nil)
            isAtState = false
            // A WAL that is not read must not be held.
            reading.close()
            bases.cancel()
            throw error
        }
    }

    /// Reads the replica, and ships what differs in the file, unless both are as they were.
    private func reachPosition(_ store: Store) async throws {
        guard !isAtState else { return }
        unchanged = writer == nil && !replica.isAlwaysRead ? try await unchangedState(store) : nil
        isAtState = unchanged != nil
        guard !isAtState else { return }
        if writer == nil { try await begin(store) }
        if !isAtState { try await compare(store) }
    }

    /// Ships what is found now.
    ///
    /// - Returns: Whether there may be more.
    private func shipOnce(
        _ store: Store, isLast: Bool, _ begun: @Sendable () -> Int, _ reached: @Sendable (Int, Progress) -> Void
    ) async throws -> Bool {
        let request = begun()
        let found = try await read(store) { try Observation($0) }
        if let state = unchanged {
            guard try found.finding != .nothing || store.fileStamp(ofCompleteFile: false) != state.stamp else {
                reached(request, progress)
                return false
            }
            guard try await begin(store, after: state) else {
                reached(request, progress)
                return true
            }
        }
        // What was found is as new as the request.
        switch found.finding {
        case .nothing:
            try await shipEnvelope(store)
            reached(request, progress)
            try await maintain(store, found.logBytes, isLast: isLast)
            // What was read ahead before a checkpoint.
            return !found.isAtPosition
        case .commits:
            // What was read ahead is older than what was asked for.
            if try await shipBatches(store) { reached(request, progress) }
        case .gap:
            try await compare(store)
            reached(request, progress)
        }
        return true
    }

    /// Whether the replica has what the database has, while another process ships.
    func isComplete(_ store: Store) async throws -> Bool {
        defer { reading.close() }
        let state = try await ReplicaState(of: folder)
        var isComplete = false
        try await reading.longer {
            isComplete = try await read(store) { reader in
                let found = try reader.compare(with: state.versions)
                return found.different == 0 && found.all == state.versions.count
            }
        }
        return isComplete
    }

    /// Whether this process ships the commits of the database, or can from now on.
    private func isShipping(_ store: Store) throws -> Bool {
        if record != nil { return true }
        let file = try ReplicaRecordFile(store.replicaRecordPath(folder.recordName))
        guard try file.lock() else { return false }
        record = file
        return true
    }

    /// The connections were closed: they may be of another key now.
    func forgetPosition() { (isAtState, unchanged) = (false, nil) }

    /// Closes the connections of a base that is being written.
    nonisolated func suspend() { bases.cancel() }

    func end() {
        bases.cancel()
        record = nil
        (writer, unchanged) = (nil, nil)
    }

    func read<T: Sendable>(
        _ store: Store, _ work: @escaping @Sendable (CommitReader) throws -> T
    ) async throws -> T {
        try Task.checkCancellation()
        return try await reading.run(making: try store.commitReaders(), work)
    }

    // MARK: Beginning

    /// Reads the state of the replica, and checks that this file has shipped it.
    private func begin(_ store: Store) async throws {
        let state = try await ReplicaState(of: folder)
        guard let record else { return }
        if let identifier = state.replica { try await adoptRecord(of: identifier, state, store, record) }
        if !mayTakeOver { try OwnerCheck.require(state.head, record.record, folder) }
        try await record.probe(folder.objects)
        var writer = ReplicaWriter(folder, state.replica ?? .random(), session, state, record)
        if let object = unconfirmed, object.header.number == writer.number + 1,
            object.header.previous == writer.digest
        {
            // The same bytes, so that it does not matter which of the requests takes effect.
            do {
                try await writer.append(object)
            } catch {
                self.writer = writer
                throw error
            }
            unconfirmed = nil
            return try await begin(store)
        }
        // A writer that was taken over finds this claim. A base is of the state of a change, also the first one; and
        // changes without a base restore to nothing: the new base is of no state that there was before.
        // Only once: a host that takes over this one later must not be undone.
        defer { if self.writer != nil { mayTakeOver = false } }
        let isForeign = state.replica != nil && record.record?.has(state.number, state.digest) != true
        if isForeign || !state.hasBase {
            let form = try await read(store) { $0.form }
            try await writer.claim(form)
        }
        unconfirmed = nil
        self.writer = writer
        if !state.hasBase { try await shipFirstBase(store) }
    }

    /// Reads the replica because the file has changed since a state that both had.
    ///
    /// - Returns: Whether what the reader has found is all that differs; otherwise everything was compared and shipped.
    private func begin(_ store: Store, after state: ShippedState) async throws -> Bool {
        unchanged = nil
        try await begin(store)
        guard let writer, writer.number == state.number, writer.digest == state.digest else {
            try await compare(store)
            return false
        }
        return true
    }

    /// Takes over the record that the replica had at another location: a directory that is mounted elsewhere now, or a
    /// service with another address.
    private func adoptRecord(
        of identifier: ObjectHeader.Identifier, _ state: ReplicaState, _ store: Store, _ record: ReplicaRecordFile
    ) async throws {
        guard record.record?.has(state.number, state.digest) != true else { return }
        for path in try store.replicaRecordPaths() {
            guard let other = try ReplicaRecordFile(path).record, other.replica == identifier,
                other.has(state.number, state.digest)
            else { continue }
            return try await record.confirm(identifier, state.number, state.digest)
        }
    }

    private func shipFirstBase(_ store: Store) async throws {
        guard var writer else { return }
        let envelope = try store.envelope()
        try await reading.longer { _ = try await read(store) { try $0.compare(with: PageVersions()) } }
        let header = writer.baseHeader(try await read(store) { $0.form })
        var base = BaseWriter(folder, header, envelope)
        var isComplete = false
        while !isComplete {
            let batch = try await nextBatch(store).batch
            count(try await base.ship(batch))
            isComplete = batch.isLast
        }
        writer.adopt(base)
        self.writer = writer
        isAtState = true
    }

    // MARK: Changes

    /// Ships what differs between the replica and the file.
    private func compare(_ store: Store) async throws {
        guard let writer else { return }
        let (versions, form) = (writer.versions, writer.form)
        try await reading.longer {
            _ = try await read(store) { try $0.compare(with: form == $0.form ? versions : PageVersions()) }
        }
        try await shipBatches(store)
        isAtState = true
    }

    /// - Returns: Whether the reader has read all that it had found.
    @discardableResult private func shipBatches(_ store: Store) async throws -> Bool {
        guard var writer else { return false }
        defer { self.writer = writer }
        var (isFirst, isComplete, isAtPosition) = (true, false, false)
        while !isComplete {
            let (batch, isLastOne) = try await nextBatch(store, synchronizesLog: isFirst)
            let envelope = try batch.isLast ? store.envelope() : nil
            let isEmpty = isFirst && batch.isLast && batch.numbers.isEmpty
            let isNews = batch.databasePages != writer.versions.count || envelope != nil && envelope != writer.envelope
            if !isEmpty || isNews { count(try await writer.ship(batch, envelope: envelope)) }
            (isFirst, isComplete, isAtPosition) = (false, batch.isLast, isLastOne)
        }
        return isAtPosition
    }

    /// The next pages of the commits that were found, and whether there are no more.
    ///
    /// - Parameter synchronizesLog: Whether the WAL is flushed first: what the replica has must survive a failure of
    ///   the power here, too, or the file would be older.
    /// - Throws: `StrongroomError` with `fileChanged` if the connections were closed meanwhile.
    private func nextBatch(
        _ store: Store, synchronizesLog: Bool = false
    ) async throws -> (batch: PageBatch, isAtPosition: Bool) {
        let found = try await read(store) { reader -> (PageBatch, Bool)? in
            if synchronizesLog { try store.synchronizeLog() }
            return try reader.nextBatch(limit: Self.pagesAtOnce(reader.form)).map { ($0, reader.readPosition != nil) }
        }
        guard let found else { throw StrongroomError.interrupted(folder.name) }
        return found
    }

    /// Ships the envelope if it has changed without a page.
    private func shipEnvelope(_ store: Store) async throws {
        guard var writer, let form = writer.form, let envelope = try store.envelope(), envelope != writer.envelope
        else {
            return
        }
        defer { self.writer = writer }
        let empty = PageBatch(
            form: form, databasePages: writer.versions.count, numbers: [], content: [], isLast: true)
        count(try await writer.ship(empty, envelope: envelope))
    }

    private func count(_ bytes: Int) { shipped = (shipped.objects + 1, shipped.bytes + bytes) }

    /// The number of pages in an object.
    static func pagesAtOnce(_ form: PageForm) -> Int { max(1, objectLength / form.size) }

    /// The largest length of an object, in bytes, but for its header and index.
    static let objectLength = 4 << 20

    // MARK: Between commits

    private func maintain(_ store: Store, _ logBytes: Int, isLast: Bool) async throws {
        if logBytes >= Self.longLog {
            // Another process may write at this moment; the next iteration tries again.
            try? await store.checkpointWithoutWaiting()
        }
        if let base = isLast ? try? await bases.last() : try await bases.finished() {
            writer?.didShipBase(base)
            shipped = (shipped.objects + base.objects, shipped.bytes + base.bytes)
        }
        if !isLast { try await beginBaseIfDue(store) }
    }

    /// The length of the WAL, in bytes, from which the engine is to restart it: below the length from which a store
    /// waits for its readers.
    private static let longLog = 8 << 20

    private func beginBaseIfDue(_ store: Store) async throws {
        guard let writer, let form = writer.form, bases.mayBegin else { return }
        let isDue =
            writer.sinceBase.bytes > max(replica.leastChanges, writer.versions.count * form.size)
            || writer.sinceBase.changes > Self.mostChanges
        guard isDue else { return }
        guard let position = try await read(store, { $0.readPosition }) else { return }
        try await bases.begin(
            writer.baseHeader(form), writer.envelope, at: position, since: writer.sinceBase,
            making: try store.commitReaders())
    }

    /// Changes that are read at a restore, at most, before a new base is written.
    private static let mostChanges = 5_000
}

/// What the reader has found at a moment.
private struct Observation: Sendable {
    let finding: CommitReader.Finding
    /// Whether everything was read that was found.
    let isAtPosition: Bool
    /// The length of the WAL, in bytes.
    let logBytes: Int

    init(_ reader: CommitReader) throws {
        finding = try reader.findCommits()
        isAtPosition = reader.readPosition != nil
        logBytes = reader.logLength * reader.form.size
    }
}

extension StrongroomError {
    /// The error for connections that were closed while commits were read.
    fileprivate static func interrupted(_ folder: String) -> StrongroomError {
        StrongroomError(
            .busy,
            """
            The connections of the replica "\(folder)" were closed while it was written, as a rotation needs it. The \
            replica is compared with the file, and continues.
            """)
    }
}
