/// Records which tables the commits of a connection write, for observers in other processes, and reads what other
/// processes have recorded.
///
/// A record says that between two positions of the WAL some tables were written, and no others. It is written before
/// the commit is visible, so a connection that sees a commit finds its record.
///
/// It is a statement about two contents of the WAL, since a position stands for the content up to there, and says of
/// them nothing but in which tables they differ. So it stays true whatever happens to the commit. One that is recorded
/// and not completed, because its process is killed, ends at a position that either no connection ever sees, or that
/// recovery of the WAL finds valid: then the commit is in the file, and has written these tables. Another commit that
/// follows the same position has other content, and so ends at another one.
///
/// A program without this library, a process that has been killed, a change of the schema and a damaged file leave a
/// gap between two records. Then any table may have changed.
final class CommitRecords: CommitRecorder {  // guarded by the slot, as its connection is
    private let ring: RecordRing
    /// Nil once the key is derived: it has the key of the file.
    private var deriveKey: (() throws -> CommitRecordKey)?
    /// Derived when the first commit is recorded or read; nil if libcrypto fails.
    private lazy var key: CommitRecordKey? = {
        defer { deriveKey = nil }
        return try? deriveKey?()
    }()
    /// A record that has no positions and no code yet, and its tables; nil if nothing is to be recorded.
    private var draft: (tables: Set<String>, record: [UInt8])?

    /// The offset of each part of a record: the position before, the position after, the number of tables, and the
    /// tables. The authentication code of all that is at the end.
    private static let newPosition = LogPosition.length
    private static let count = newPosition + LogPosition.length
    private static let tables = count + 8
    private static let code = RecordRing.recordLength - CommitRecordKey.codeLength
    /// The tables for which a record has space; a commit that has written more of them is not recorded.
    private static let capacity = (code - tables) / 8

    init(_ ring: RecordRing, key: @escaping () throws -> CommitRecordKey) {
        self.ring = ring
        deriveKey = key
    }

    /// Begins to record the commits of a connection.
    func attach(to connection: Connection) {
        connection.attachments[CommitRecords.self] = self
        connection.watchCommits(self)
    }

    func prepare(_ tables: Set<String>) {
        draft = nil
        guard tables.count <= Self.capacity, ring.prepare(), let key else { return }
        draft = (tables, makeDraft(tables, key))
    }

    private func makeDraft(_ tables: Set<String>, _ key: CommitRecordKey) -> [UInt8] {
        var record = [UInt8](repeating: 0, count: RecordRing.recordLength)
        record.withUnsafeMutableBytes { record in
            record.storeBytes(of: UInt64(tables.count), toByteOffset: Self.count, as: UInt64.self)
            for (index, table) in tables.enumerated() {
                record.storeBytes(of: key.mark(of: table), toByteOffset: Self.tables + 8 * index, as: UInt64.self)
            }
        }
        return record
    }

    /// Computes only the code and writes only the record: readers wait.
    func record(_ tables: Set<String>, after position: LogPosition, to newPosition: LogPosition) {
        guard let draft, let key, tables.count <= Self.capacity else { return }
        // A commit that restarts the WAL prepares the restart after itself.
        var record = draft.tables == tables ? draft.record : makeDraft(tables, key)
        record.withUnsafeMutableBytes { record in
            record.storeBytes(of: position, as: LogPosition.self)
            record.storeBytes(of: newPosition, toByteOffset: Self.newPosition, as: LogPosition.self)
            let code = key.code(of: UnsafeRawBufferPointer(rebasing: record[..<Self.code]))
            record[Self.code...].copyBytes(from: code)
        }
        ring.append(record)
    }

    /// The tables that were written between two positions.
    ///
    /// - Parameter virtual: The tables that count as written by each commit.
    /// - Returns: Nil if the records do not reach from one to the other.
    func tables(
        from former: LogPosition, to newest: LogPosition, _ virtual: VirtualTables = VirtualTables()
    ) -> ForeignTables? {
        guard let key else { return nil }
        guard former != newest else { return ForeignTables(key: key, virtual) }
        var (position, marks) = (newest, Set<UInt64>())
        ring.readBackwards { record in
            guard let start = record.baseAddress, LogPosition(bytes: start + Self.newPosition) == position else {
                // A later record, or one of a commit that was not completed.
                return true
            }
            let code = key.code(of: UnsafeRawBufferPointer(rebasing: record[..<Self.code]))
            let count = record.loadUnaligned(fromByteOffset: Self.count, as: UInt64.self)
            guard code.elementsEqual(record[Self.code...]), count <= Self.capacity else { return true }
            for index in 0..<Int(count) {
                marks.insert(record.loadUnaligned(fromByteOffset: Self.tables + 8 * index, as: UInt64.self))
            }
            position = LogPosition(bytes: start)
            return position != former
        }
        guard position == former else {
            ring.renew()
            return nil
        }
        return ForeignTables(key: key, virtual, marks: marks)
    }
}

/// The tables that other processes have written, of which only the marks are known.
struct ForeignTables: Sendable {
    private let key: CommitRecordKey
    private var marks: Set<UInt64>
    private var virtual: VirtualTables

    fileprivate init(key: CommitRecordKey, _ virtual: VirtualTables, marks: Set<UInt64> = []) {
        self.key = key
        self.virtual = virtual
        self.marks = marks
    }

    var isEmpty: Bool { marks.isEmpty }

    /// Whether a table may have been written, or what a read of it has read besides.
    ///
    /// - Parameter table: The name of a table, in lower case.
    func contains(_ table: String) -> Bool {
        marks.contains(key.mark(of: table)) || !marks.isEmpty && virtual.contains(table)
    }

    /// - Returns: False if the marks cannot be compared with each other, because they have different keys.
    mutating func formUnion(_ other: ForeignTables) -> Bool {
        guard key === other.key else { return false }
        marks.formUnion(other.marks)
        virtual.formUnion(other.virtual)
        return true
    }
}

/// Hides the names of tables in records, and authenticates these; derived from the key of the database, so that all
/// processes that have the database open have it.
final class CommitRecordKey: Sendable {
    /// Bytes of an authentication code.
    static let codeLength = 16

    private let names: MessageAuthentication
    private let records: MessageAuthentication
    /// The marks of tables, by name.
    private let marks = Locked<[String: UInt64]>([:])

    /// - Parameter derived: The key of the database; nil for a plaintext database, which has nothing to hide.
    /// - Throws: ``StrongroomError`` with `engine` if libcrypto fails.
    convenience init(_ derived: DerivedKey?) throws {
        let (secret, salt) = derived?.withRawKey { (SecretBytes($0), $1) } ?? (SecretBytes([0]), [])
        try self.init(secret, salt)
    }

    private init(_ secret: SecretBytes, _ salt: [UInt8]) throws {
        func authentication(_ purpose: String) throws -> MessageAuthentication {
            let key = Cryptography.expand(
                secret, salt: salt, "strongroom commit records: \(purpose)", count: Cryptography.keyLength)
            return try MessageAuthentication(key: key, hash: .sha256)
        }
        (names, records) = (try authentication("names"), try authentication("codes"))
    }

    /// The mark of a table: 64 bits that do not reveal its name.
    fileprivate func mark(of table: String) -> UInt64 {
        if let mark = marks.withLock({ $0[table] }) { return mark }
        let mark = Array(table.utf8).withUnsafeBytes { name in
            names.withCode(of: name) { $0.loadUnaligned(as: UInt64.self) }
        }
        marks.withLock { $0[table] = mark }
        return mark
    }

    fileprivate func code(of record: UnsafeRawBufferPointer) -> [UInt8] {
        records.withCode(of: record) { Array($0.prefix(Self.codeLength)) }
    }
}
