import Strongroom

/// Appends changes to a replica. Its number makes each change the only one after the one before: of two writers, one
/// finds the number taken, and is the writer no longer.
struct ReplicaWriter: Sendable {
    let folder: ReplicaFolder
    let replica: ObjectHeader.Identifier
    let writer: ObjectHeader.Identifier
    private let record: ReplicaRecordFile
    /// The newest change; 0 for none.
    private(set) var number: UInt64
    /// The length of its object, in bytes.
    private(set) var size: Int
    private(set) var digest: [UInt8]
    /// The time of the newest change, in milliseconds since 1970.
    private(set) var time: UInt64
    /// The envelope that the replica has.
    private(set) var envelope: [UInt8]?
    /// The versions of the pages that the replica has.
    private(set) var versions: PageVersions
    /// The form of these pages; nil if there are none.
    private(set) var form: PageForm?
    /// The part of the change that the next object is.
    private var part: UInt32 = 0
    private var partVersions: [(UInt32, PageVersion)] = []
    /// A change of which it is not known whether the replica has it.
    private(set) var unconfirmed: ReplicaObject?
    /// The number of changes, and of their bytes, since the newest base.
    private(set) var sinceBase = (changes: 0, bytes: 0)

    init(
        _ folder: ReplicaFolder, _ replica: ObjectHeader.Identifier, _ writer: ObjectHeader.Identifier,
        _ state: ReplicaState, _ record: ReplicaRecordFile
    ) {
        self.record = record
        self.folder = folder
        self.replica = replica
        self.writer = writer
        (number, size, digest, time) = (state.number, state.size, state.digest, state.time)
        (envelope, versions, form, sinceBase) = (state.envelope, state.versions, state.form, state.sinceBase)
    }

    /// Ships a part of a change.
    ///
    /// - Returns: The number of bytes.
    /// - Throws: `StrongroomError` with `notOwner` if the number is taken; what the object store throws, after which it
    ///   is not known what the replica has; `replicaIncomplete` if the change before is missing.
    mutating func ship(_ batch: PageBatch, envelope: [UInt8]?) async throws -> Int {
        let isNewEnvelope = batch.isLast && envelope != self.envelope && envelope != nil
        var header = header(.change, batch.form)
        header.isLast = batch.isLast
        header.part = part
        header.databasePages = UInt32(batch.databasePages)
        let object = ReplicaObject(header, batch, envelope: isNewEnvelope ? envelope : nil)
        try await append(object)
        partVersions += object.index
        part += 1
        guard batch.isLast else { return object.bytes.count }
        part = 0
        if form != batch.form { versions = PageVersions() }
        form = batch.form
        versions.resize(to: batch.databasePages)
        for (number, version) in partVersions { versions[Int(number)] = version }
        partVersions = []
        if isNewEnvelope { self.envelope = envelope }
        return object.bytes.count
    }

    /// Makes this session the writer, so that a previous one finds its next number taken.
    mutating func claim(_ form: PageForm) async throws {
        var header = header(.claim, form)
        header.databasePages = UInt32(versions.count)
        if number == 0 { try await folder.objects.createFolder(folder.name) }
        try await append(ReplicaObject(header, nil, envelope: nil))
        // An empty replica is not taken for one that was never begun from now on.
        try await record.confirm(replica, number, digest)
    }

    /// Creates the next change. Only when no greater number is there afterwards, it is the newest: a number that old
    /// states had, and that were removed, is free again. And only when the change before is there, it can be restored.
    mutating func append(_ object: ReplicaObject) async throws {
        let number = object.header.number
        let path = folder.path(ofChange: number)
        try await record.attempt(replica, after: self.number, digest, object.digest)
        unconfirmed = object
        guard try await folder.objects.create(path, object.bytes) else { throw try await taken(path) }
        // All that the newest base needs are checked now and then.
        let count = number.isMultiple(of: Self.distance) ? sinceBase.changes + 1 : 1
        try await folder.requireNewest(number, after: count)
        unconfirmed = nil
        (self.number, size, digest, time) = (number, object.bytes.count, object.digest, object.header.time)
        sinceBase = (sinceBase.changes + 1, sinceBase.bytes + object.bytes.count)
    }

    /// The number of changes from one check of those before to the next.
    private static let distance: UInt64 = 256

    /// The error for a number that is taken: by another writer, or by an earlier request of this one, whose response
    /// was lost.
    private mutating func taken(_ path: String) async throws -> StrongroomError {
        unconfirmed = nil
        let header = try await folder.header(path)
        if let header {
            let digest = try await folder.digest(path, header)
            guard record.record?.has(header.number, digest) == true else { return .notOwner(folder.name) }
        }
        return StrongroomError(
            .outcomeUnknown,
            """
            An earlier upload of "\(path)" succeeded although its response was lost. The replica is read again, \
            and continues.
            """)
    }

    private func header(_ kind: ObjectHeader.Kind, _ form: PageForm) -> ObjectHeader {
        ObjectHeader(
            kind: kind, isLast: true, part: 0, form: form, pages: 0, databasePages: 0, number: number + 1,
            time: max(time, WriteDeadline.time), writer: writer, replica: replica, envelopeLength: 0,
            previous: digest)
    }

    // MARK: Bases

    /// The header of the parts of a base of the present state.
    func baseHeader(_ form: PageForm) -> ObjectHeader {
        var header = header(.base, form)
        header.number = number
        return header
    }

    /// Goes on from a base of the present state.
    mutating func adopt(_ base: BaseWriter) {
        (versions, form, envelope) = (base.versions, base.form, base.storedEnvelope)
        time = max(time, base.time)
        sinceBase = (0, 0)
    }

    /// Records that the replica has a further base.
    mutating func didShipBase(_ base: BaseShipper.Finished) {
        sinceBase = (sinceBase.changes - base.since.changes, sinceBase.bytes - base.since.bytes)
    }
}

extension StrongroomError {
    /// The error for a writer whose next number is taken.
    static func notOwner(_ folder: String) -> StrongroomError {
        StrongroomError(
            .notOwner,
            """
            Another store or host writes the replica "\(folder)" now. Nothing of this store is shipped any more, and \
            it refuses writes. Close it. To go on with the other one's state, restore the replica; to go on with this \
            file, open it with `Replica.takesOver` (`--take-over` in the tool).
            """)
    }
}
