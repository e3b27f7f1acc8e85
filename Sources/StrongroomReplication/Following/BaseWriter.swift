import Strongroom

/// Writes the parts of a base: all pages of one state.
struct BaseWriter: Sendable {
    private let folder: ReplicaFolder
    private let name: String
    private var header: ObjectHeader
    private var envelope: [UInt8]?
    private(set) var versions = PageVersions()
    /// The envelope in the base.
    let storedEnvelope: [UInt8]?
    /// What has been written.
    private(set) var objects = 0
    private(set) var bytes = 0

    /// - Parameters:
    ///   - header: The header of its parts.
    ///   - envelope: The envelope of the database; nil if it has none.
    init(_ folder: ReplicaFolder, _ header: ObjectHeader, _ envelope: [UInt8]?) {
        self.folder = folder
        self.header = header
        self.envelope = envelope
        storedEnvelope = envelope
        name = ObjectName.base(header.number, .random(in: .min ... .max))
    }

    var form: PageForm { header.form }
    var time: UInt64 { header.time }

    /// Writes a part.
    ///
    /// - Returns: The number of bytes.
    mutating func ship(_ batch: PageBatch) async throws -> Int {
        header.isLast = batch.isLast
        header.databasePages = UInt32(batch.databasePages)
        header.part = UInt32(objects)
        let object = ReplicaObject(header, batch, envelope: envelope)
        let path = folder.path(ofBase: name, part: objects)
        guard try await folder.objects.create(path, object.bytes) else {
            throw StrongroomError(
                .objectStore,
                "There is an object \"\(path)\" already, whose name is random. Check what else writes to the folder.")
        }
        envelope = nil
        versions.resize(to: batch.databasePages)
        for (number, version) in object.index { versions[Int(number)] = version }
        objects += 1
        bytes += object.bytes.count
        return object.bytes.count
    }
}

/// Writes a further base while changes are shipped, with connections of its own.
final class BaseShipper: Sendable {
    /// A base that was written.
    struct Finished: Sendable {
        let objects: Int
        let bytes: Int
        /// What had been shipped since the former base when it was begun.
        let since: (changes: Int, bytes: Int)
    }

    private struct State {
        var task: Task<Finished?, any Error>?
        var result: Finished?
        var isDone = false
    }

    private let folder: ReplicaFolder
    private let reading = ReadingThread()
    private let state = Locked(State())

    init(_ folder: ReplicaFolder) { self.folder = folder }

    var isRunning: Bool { state.withLock { $0.task != nil } }

    /// Begins a base of the state at a commit, unless there is a newer one already.
    func begin(
        _ header: ObjectHeader, _ envelope: [UInt8]?, at position: PublishedLog, since: (changes: Int, bytes: Int),
        making make: @escaping @Sendable () throws -> CommitReader
    ) async throws {
        let isAtPosition = try await reading.run(making: make) { reader in
            _ = try reader.compare(with: PageVersions())
            return reader.target == position
        }
        guard isAtPosition else { return reading.close() }
        let task = Task { [folder, reading, state] () -> Finished? in
            defer {
                reading.close()
                state.withLock { $0.isDone = true }
            }
            var base = BaseWriter(folder, header, envelope)
            while let batch = try await reading.run(
                making: make,
                { reader in
                    // Without its transaction the reader has no batches of this state.
                    try reader.nextBatch(limit: Shipper.pagesAtOnce(reader.form))
                })
            {
                try Task.checkCancellation()
                _ = try await base.ship(batch)
                if batch.isLast { return Finished(objects: base.objects, bytes: base.bytes, since: since) }
            }
            return nil
        }
        state.withLock { state in
            state.task = task
        }
    }

    /// The base that was finished since the last call; nil if there is none. A base that failed is tried again later.
    func finished() async throws -> Finished? {
        let task = state.withLock { state -> Task<Finished?, any Error>? in
            guard state.isDone else { return nil }
            state.isDone = false
            return state.task.take()
        }
        guard let task else { return nil }
        return try? await task.value
    }

    /// Ends a base that is being written; its parts are removed by the next removal of old states.
    func cancel() {
        let task = state.withLock { state in
            state.isDone = false
            return state.task.take()
        }
        task?.cancel()
        reading.close()
    }
}
