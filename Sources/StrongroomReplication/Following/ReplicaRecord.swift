import Dispatch
import Strongroom

/// What a database's host has shipped last, in a file beside the database.
///
/// It is written before an object is created. A store goes on with a replica only if the newest object is recorded: a
/// file that was put back from an older copy, or that of a host whose database was taken over, would otherwise undo
/// what the replica has.
struct ReplicaRecord: Equatable {
    /// The replica.
    var replica: ObjectHeader.Identifier
    /// The number of the newest change that is known to be in the replica; 0 for none.
    var number: UInt64
    /// Its digest; zeros for none.
    var digest: [UInt8]
    /// The digests of the changes that were to be created after it, of which at most one exists: an answer may be lost,
    /// and a request may take effect late. The newest is the last.
    var attempts: [[UInt8]] = []
    /// Grows with each record.
    var sequence: UInt64

    private static let magic: [UInt8] = Array("StrngRec".utf8)
    private static let maxAttempts = 16
    static let length =
        magic.count + ObjectHeader.Identifier.length + 24 + (2 + maxAttempts) * Digests.length

    init(replica: ObjectHeader.Identifier, number: UInt64, digest: [UInt8], sequence: UInt64) {
        self.replica = replica
        self.number = number
        self.digest = digest
        self.sequence = sequence
    }

    /// Whether a change was written from the file that the record belongs to.
    func has(_ number: UInt64, _ digest: [UInt8]) -> Bool {
        number == self.number && digest == self.digest || number == self.number + 1 && attempts.contains(digest)
    }

    /// Adds a change that is about to be created.
    mutating func attempt(_ digest: [UInt8]) {
        attempts.removeAll { $0 == digest }
        attempts.append(digest)
        if attempts.count > Self.maxAttempts { attempts.removeFirst() }
    }

    var bytes: [UInt8] {
        let numbers = [number, sequence, UInt64(attempts.count)]
        let unused = [UInt8](repeating: 0, count: (Self.maxAttempts - attempts.count) * Digests.length)
        let digests = digest + attempts.joined() + unused
        return Digests.stored(Self.magic + replica.bytes + numbers.flatMap(\.bigEndianBytes) + digests)
    }

    /// - Throws: ``StoredReader/Damaged`` for bytes that are no record, such as one that was written in part.
    init(_ bytes: [UInt8]) throws {
        guard bytes.count == Self.length else { throw StoredReader.Damaged() }
        var reader = try StoredReader(bytes, magic: Self.magic)
        replica = try ObjectHeader.Identifier(reading: &reader)
        (number, sequence) = (try reader.number(), try reader.number())
        let count: UInt64 = try reader.number()
        guard count <= UInt64(Self.maxAttempts), number <= ObjectName.maxNumber, sequence < .max else {
            throw StoredReader.Damaged()
        }
        digest = try reader.bytes(Digests.length)
        attempts = try (0..<count).map { _ in try reader.bytes(Digests.length) }
    }
}

/// The file of a record: two copies, of which each change rewrites the older one.
final class ReplicaRecordFile: Sendable {
    private let file: PlainFile
    private let newest: Locked<ReplicaRecord?>
    /// Whether the file's name is on the disk: a failure of the power can remove it until its directory is flushed.
    private let isNamed = Locked(false)
    /// Flushes what is written; none of Swift's cooperative threads, of which there are few, waits for the disk.
    private let queue = DispatchQueue(label: "strongroom.replication.record")

    /// The distance of the two copies, so that a failure of the power cannot damage both; the stamp follows them.
    private static let slot: Int64 = 4_096

    /// Opens the file, or creates an empty one.
    init(_ path: String) throws {
        file = try PlainFile(path, isWritable: true, isCreated: true, followsLinks: false)
        newest = Locked(nil)
        try readOwn()
    }

    /// Opens the file to read it; nil if there is none.
    init?(reading path: String) throws {
        do {
            file = try PlainFile(path, followsLinks: false)
        } catch let error as StrongroomError where error.code == .fileMissing {
            return nil
        }
        newest = Locked(nil)
        try readOwn()
    }

    private func readOwn() throws {
        // `.NAME.replica-…` is beside NAME.
        let name = FileSystem.name(of: file.path).dropFirst()
        let database = name[..<(name.ranges(of: ".replica-").last?.lowerBound ?? name.startIndex)]
        try SideFiles(of: "\(FileSystem.directory(of: file.path))/\(database)").requireTrusted(
            file,
            advice: "Then continue the replica with this file by `Replica.takesOver` (`--take-over` in the tool).")
        try read()
    }

    private func read() throws {
        let copies = try [0, Self.slot].compactMap { try copy(at: $0) }
        let record = copies.max { $0.sequence < $1.sequence }
        newest.withLock { $0 = record }
    }

    /// Tries to make this process the one that ships the commits of the database, until the file is closed.
    ///
    /// - Returns: False if another process is.
    func lock() throws -> Bool {
        guard file.lock() else { return false }
        // The previous holder may have written it meanwhile.
        try read()
        return true
    }

    /// The record; nil if there is none.
    var record: ReplicaRecord? { newest.withLock { $0 } }

    private func copy(at offset: Int64) throws -> ReplicaRecord? {
        let stored = try file.bytes(at: offset, ReplicaRecord.length)
        return try? ReplicaRecord(stored)
    }

    /// Forgets what was recorded; when this returns, it stays forgotten after a failure of the power.
    func clear() throws {
        try file.truncate(to: 0)
        try file.synchronize()
        newest.withLock { $0 = nil }
    }

    /// Records the newest change of the replica.
    func confirm(_ replica: ObjectHeader.Identifier, _ number: UInt64, _ digest: [UInt8]) async throws {
        try await writeBlocking(ReplicaRecord(replica: replica, number: number, digest: digest, sequence: 0))
    }

    /// Records a change that is about to be created after another one.
    func attempt(
        _ replica: ObjectHeader.Identifier, after number: UInt64, _ previous: [UInt8], _ digest: [UInt8]
    ) async throws {
        var record = record ?? ReplicaRecord(replica: replica, number: number, digest: previous, sequence: 0)
        if record.replica != replica || record.number != number || record.digest != previous {
            record = ReplicaRecord(replica: replica, number: number, digest: previous, sequence: record.sequence)
        }
        record.attempt(digest)
        try await writeBlocking(record)
    }

    private func writeBlocking(_ record: ReplicaRecord) async throws {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try self.write(record) }) }
        }
    }

    /// Writes the record; when this returns, it survives a failure of the power.
    private func write(_ record: ReplicaRecord) throws {
        var record = record
        record.sequence = (self.record?.sequence ?? 0) + 1
        try file.write(record.bytes, at: record.sequence.isMultiple(of: 2) ? 0 : Self.slot)
        try file.synchronize()
        if !isNamed.withLock({ $0 }) {
            try ObjectDirectory(FileSystem.directory(of: file.path))?.synchronize()
            isNamed.withLock { $0 = true }
        }
        let written = record
        newest.withLock { $0 = written }
    }
}

extension ReplicaRecordFile {
    /// The state of the file that a replica has; nil if that is not known, or no longer the newest record.
    func shippedState() throws -> ShippedState? {
        guard let record else { return nil }
        let stored = try file.bytes(at: 2 * Self.slot, ShippedState.length)
        guard let state = try? ShippedState(stored), state.sequence == record.sequence,
            record.has(state.number, state.digest)
        else { return nil }
        return state
    }

    /// Records that a replica has the state of the file. A power failure may undo that.
    func record(_ number: UInt64, _ digest: [UInt8], size: Int, _ stamp: FileStamp) throws {
        guard let record, record.has(number, digest) else { return }
        let state = ShippedState(
            sequence: record.sequence, number: number, digest: digest, size: size, stamp: stamp)
        try file.write(state.bytes, at: 2 * Self.slot)
    }
}

extension ReplicaRecordFile {
    private static let probed: [UInt8] = Array("StrngPrb".utf8)

    /// Probes the object store, unless that was done before: its answer is remembered behind the state.
    ///
    /// - Throws: `StrongroomError` with `objectStore` if it replaces objects; what it throws.
    func probe(_ objects: any ObjectStore) async throws {
        guard try file.bytes(at: 3 * Self.slot, Self.probed.count) != Self.probed else { return }
        try await objects.probe()
        try file.write(Self.probed, at: 3 * Self.slot)
    }
}
