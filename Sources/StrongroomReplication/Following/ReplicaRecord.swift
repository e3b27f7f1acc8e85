import Dispatch
import Strongroom

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

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

    /// Whether a change was made from the file that the record belongs to.
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
        var content = Self.magic + replica.bytes
        content.append(number)
        content.append(sequence)
        content.append(UInt64(attempts.count))
        content += digest
        for attempt in attempts { content += attempt }
        content += [UInt8](repeating: 0, count: (Self.maxAttempts - attempts.count) * Digests.length)
        return content + Digests.sha256(content)
    }

    /// - Returns: Nil for bytes that are no record, such as one that was written in part.
    init?(_ bytes: [UInt8]) {
        let content = Array(bytes.dropLast(Digests.length))
        guard bytes.count == Self.length, bytes.starts(with: Self.magic),
            Digests.sha256(content) == Array(bytes.suffix(Digests.length))
        else { return nil }
        let start = Self.magic.count + ObjectHeader.Identifier.length
        let (number, sequence): (UInt64, UInt64) = (content.number(at: start), content.number(at: start + 8))
        let count: UInt64 = content.number(at: start + 16)
        guard count <= UInt64(Self.maxAttempts), number <= ObjectName.maxNumber, sequence < .max else { return nil }
        func digest(_ index: Int) -> [UInt8] {
            Array(content[start + 24 + index * Digests.length..<start + 24 + (index + 1) * Digests.length])
        }
        self.init(
            replica: ObjectHeader.Identifier(bytes: Array(content[Self.magic.count..<start])),
            number: number, digest: digest(0), sequence: sequence)
        attempts = (0..<Int(count)).map { digest($0 + 1) }
    }
}

/// The file of a record: two copies, of which each change rewrites the older one.
final class ReplicaRecordFile: Sendable {
    private let path: String
    private let descriptor: Int32
    private let newest: Locked<ReplicaRecord?>
    /// Whether the file's name is on the disk: a failure of the power can remove it until its directory is flushed.
    private let isNamed = Locked(false)
    /// Flushes what is written; none of Swift's cooperative threads, of which there are few, waits for the disk.
    private let queue = DispatchQueue(label: "strongroom.replication.record")

    /// The distance of the two copies, so that a failure of the power cannot damage both; the stamp follows them.
    private static let slot = 4_096

    /// Opens the file, or creates an empty one.
    init(_ path: String) throws {
        self.path = path
        descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        newest = Locked(nil)
        guard descriptor >= 0 else { throw ObjectFile.failure("cannot open", path) }
        try requireOwn()
        try read()
    }

    /// Opens the file to read it; nil if there is none.
    init?(reading path: String) throws {
        self.path = path
        descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        newest = Locked(nil)
        guard descriptor >= 0 else {
            guard errno == ENOENT else { throw ObjectFile.failure("cannot open", path) }
            return nil
        }
        try requireOwn()
        try read()
    }

    private func requireOwn() throws {
        // `.NAME.replica-…` is beside NAME.
        let name = path.split(separator: "/").last?.dropFirst() ?? ""
        let database = name[..<(name.ranges(of: ".replica-").last?.lowerBound ?? name.startIndex)]
        try SideFile.requireTrusted(
            descriptor, path, beside: "\(ObjectFile.directory(of: path))/\(database)",
            advice: "Then continue the replica with this file by `Replica.takesOver` (`--take-over` in the tool).")
    }

    private func read() throws {
        let copies = try [0, Self.slot].compactMap { try copy(at: $0) }
        let record = copies.max { $0.sequence < $1.sequence }
        newest.withLock { $0 = record }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Tries to make this process the one that ships the commits of the database, until the file is closed.
    ///
    /// - Returns: False if another process is.
    func lock() throws -> Bool {
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return false }
        // The former holder may have written it meanwhile.
        try read()
        return true
    }

    /// The record; nil if there is none.
    var record: ReplicaRecord? { newest.withLock { $0 } }

    private func copy(at offset: Int) throws -> ReplicaRecord? {
        ReplicaRecord(try bytes(at: offset, ReplicaRecord.length))
    }

    private func bytes(at offset: Int, _ length: Int) throws -> [UInt8] {
        try [UInt8](capacity: length) { buffer, filled in
            let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
            guard count >= 0 else { throw ObjectFile.failure("cannot read", path) }
            filled = count
        }
    }

    /// Forgets what was recorded; when this returns, it stays forgotten after a failure of the power.
    func clear() throws {
        guard ftruncate(descriptor, 0) == 0, fsync(descriptor) == 0 else {
            throw ObjectFile.failure("cannot write", path)
        }
        newest.withLock { $0 = nil }
    }

    /// Records the newest change of the replica.
    func confirm(_ replica: ObjectHeader.Identifier, _ number: UInt64, _ digest: [UInt8]) async throws {
        try await writeBlocking(ReplicaRecord(replica: replica, number: number, digest: digest, sequence: 0))
    }

    /// Records a change that is about to be created after another one.
    func attempt(
        _ replica: ObjectHeader.Identifier, after number: UInt64, _ former: [UInt8], _ digest: [UInt8]
    ) async throws {
        var record = record ?? ReplicaRecord(replica: replica, number: number, digest: former, sequence: 0)
        if record.replica != replica || record.number != number || record.digest != former {
            record = ReplicaRecord(replica: replica, number: number, digest: former, sequence: record.sequence)
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
        try write(record.bytes, at: record.sequence.isMultiple(of: 2) ? 0 : Self.slot)
        guard fsync(descriptor) == 0 else { throw ObjectFile.failure("cannot write", path) }
        if !isNamed.withLock({ $0 }) {
            try ObjectFile.synchronize(ObjectFile.directory(of: path))
            isNamed.withLock { $0 = true }
        }
        let written = record
        newest.withLock { $0 = written }
    }

    private func write(_ bytes: [UInt8], at offset: Int) throws {
        let count = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
        guard count == bytes.count else { throw ObjectFile.failure("cannot write", path) }
    }
}

extension ReplicaRecordFile {
    /// The state of the file that a replica has; nil if that is not known, or no longer the newest record.
    func shippedState() throws -> ShippedState? {
        guard let record else { return nil }
        let state = ShippedState(try bytes(at: 2 * Self.slot, ShippedState.length))
        guard let state, state.sequence == record.sequence, record.has(state.number, state.digest) else { return nil }
        return state
    }

    /// Records that a replica has the state of the file. A power failure may undo that.
    func record(_ number: UInt64, _ digest: [UInt8], size: Int, _ stamp: FileStamp) throws {
        guard let record, record.has(number, digest) else { return }
        let state = ShippedState(
            sequence: record.sequence, number: number, digest: digest, size: size, stamp: stamp)
        try write(state.bytes, at: 2 * Self.slot)
    }
}

extension ReplicaRecordFile {
    private static let probed: [UInt8] = Array("StrngPrb".utf8)

    /// Probes the object store, unless that was done before: its answer is remembered behind the state.
    ///
    /// - Throws: `StrongroomError` with `objectStore` if it replaces objects; what it throws.
    func probe(_ objects: any ObjectStore) async throws {
        guard try bytes(at: 3 * Self.slot, Self.probed.count) != Self.probed else { return }
        try await objects.probe()
        try write(Self.probed, at: 3 * Self.slot)
    }
}
