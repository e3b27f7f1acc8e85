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

/// Writes further bases while changes are shipped, one at a time, each with connections of its own.
final class BaseShipper: Sendable {
    /// A base that was written.
    struct Finished: Sendable {
        let objects: Int
        let bytes: Int
        /// What had been shipped since the previous base when it was begun.
        let since: (changes: Int, bytes: Int)
    }

    private struct Running {
        let reading: ReadingThread
        let isDone = Locked(false)
        /// Nil until the transaction of the state has begun.
        var task: Task<Result<Finished?, any Error>, Never>?
    }

    private let folder: ReplicaFolder
    private let running = Locked<Running?>(nil)

    init(_ folder: ReplicaFolder) { self.folder = folder }

    /// When the next base may be begun, after one of a damaged file.
    private let nextAttempt = Locked(ContinuousClock.now)

    /// Whether none is running, and the last one has not failed just now.
    var mayBegin: Bool { running.withLock { $0 == nil } && nextAttempt.withLock { $0 <= .now } }

    /// Begins a base of the state at a commit, unless there is a newer commit already.
    func begin(
        _ header: ObjectHeader, _ envelope: [UInt8]?, at position: PublishedLog, since: (changes: Int, bytes: Int),
        making make: @escaping @Sendable () throws -> CommitReader
    ) async throws {
        let new = Running(reading: ReadingThread())
        running.withLock { $0 = new }
        let (reading, isDone) = (new.reading, new.isDone)
        let isAtPosition: Bool
        do {
            isAtPosition = try await reading.run(making: make) { try $0.hold(at: position) }
        } catch {
            end(reading)
            throw error
        }
        guard isAtPosition else { return end(reading) }
        let task = Task { [folder] () -> Result<Finished?, any Error> in
            defer {
                reading.close()
                isDone.withLock { $0 = true }
            }
            do {
                return .success(try await Self.ship(BaseWriter(folder, header, envelope), reading, since))
            } catch { return .failure(error) }
        }
        let isKept = running.withLock { running in
            guard running?.reading === reading else { return false }
            running?.task = task
            return true
        }
        // It was cancelled meanwhile.
        if !isKept { task.cancel() }
    }

    private func end(_ reading: ReadingThread) {
        reading.suspend()
        running.withLock { running in
            if running?.reading === reading { running = nil }
        }
    }

    private static func ship(
        _ writer: BaseWriter, _ reading: ReadingThread, _ since: (changes: Int, bytes: Int)
    ) async throws -> Finished? {
        var writer = writer
        // Reads the entire file, in the transaction that was begun.
        guard try await reading.runAsync({ _ = try $0.compare(with: PageVersions()) }) != nil else { return nil }
        while true {
            try Task.checkCancellation()
            // Without its transaction the reader has no batches of this state.
            let batch = try await reading.runAsync { reader in
                try reader.nextBatch(limit: Shipper.pagesAtOnce(reader.form))
            }
            guard let batch = batch.flatMap(\.self) else { return nil }
            _ = try await writer.ship(batch)
            if batch.isLast { return Finished(objects: writer.objects, bytes: writer.bytes, since: since) }
        }
    }

    /// The base that was finished since the last call; nil if there is none. A base that failed is tried again later.
    ///
    /// - Throws: `StrongroomError` with `damaged`: the file has no state of which a base could be written.
    func finished() async throws -> Finished? {
        let task = running.withLock { running -> Task<Result<Finished?, any Error>, Never>? in
            guard let done = running, done.isDone.withLock({ $0 }), done.task != nil else { return nil }
            running = nil
            return done.task
        }
        return try finished(await task?.value)
    }

    /// Waits for the base that is being written.
    func last() async throws -> Finished? {
        guard let task = running.withLock({ $0.flatMap(\.task) }) else { return nil }
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        running.withLock { $0 = nil }
        return try finished(result)
    }

    private func finished(_ result: Result<Finished?, any Error>?) throws -> Finished? {
        guard case .failure(let error)? = result else { return try result?.get() }
        guard let error = error as? StrongroomError, error.code == .damaged else { return nil }
        // The entire file was read for it.
        nextAttempt.withLock { $0 = .now + Self.pauseAfterDamage }
        throw error
    }

    private static let pauseAfterDamage = Duration.seconds(300)

    /// Ends a base that is being written; its parts are removed by the next removal of old states.
    func cancel() {
        let ended = running.withLock { $0.take() }
        ended?.task?.cancel()
        ended?.reading.suspend()
    }
}
