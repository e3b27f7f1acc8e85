/// Records which tables the commits of a connection write, for observers in other processes, and reads what other
/// processes have recorded.
///
/// A record says that between two positions of the WAL some tables were written, and no others. It is written before
/// the commit is visible, so whoever sees a commit finds its record. It stays true whatever happens to the commit,
/// since a position stands for the content of the WAL up to there: a record of a commit that was never completed ends
/// at a position that no connection ever sees.
///
/// A program without this library, a process that has been killed, a change of the schema and a damaged file leave a
/// gap between two records. Then any table may have changed.
final class CommitRecords: CommitRecorder {  // guarded by the slot, as its connection is
    private let ring: RecordRing
    private let key: CommitRecordKey

    /// The offset of each part of a record: the position before, the position after, the number of tables, and the
    /// tables. The authentication code of all that is at the end.
    private static let newPosition = LogPosition.length
    private static let count = newPosition + LogPosition.length
    private static let tables = count + 8
    private static let code = RecordRing.recordLength - CommitRecordKey.codeLength
    /// The tables for which a record has space; a commit that has written more of them is not recorded.
    private static let capacity = (code - tables) / 8

    init(_ ring: RecordRing, _ key: CommitRecordKey) {
        self.ring = ring
        self.key = key
    }

    /// Begins to record the commits of a connection.
    func attach(to connection: Connection) {
        connection.attachments[CommitRecords.self] = self
        connection.watchCommits(self)
    }

    func record(_ tables: Set<String>, after position: LogPosition, to newPosition: LogPosition) {
        guard tables.count <= Self.capacity else { return }
        ring.append {
            var record = [UInt8](repeating: 0, count: RecordRing.recordLength)
            record.withUnsafeMutableBytes { record in
                record.storeBytes(of: position, as: LogPosition.self)
                record.storeBytes(of: newPosition, toByteOffset: Self.newPosition, as: LogPosition.self)
                record.storeBytes(of: UInt64(tables.count), toByteOffset: Self.count, as: UInt64.self)
                for (index, table) in tables.enumerated() {
                    record.storeBytes(of: key.mark(of: table), toByteOffset: Self.tables + 8 * index, as: UInt64.self)
                }
                let code = key.code(of: UnsafeRawBufferPointer(rebasing: record[..<Self.code]))
                record[Self.code...].copyBytes(from: code)
            }
            return record
        }
    }

    /// The tables that were written between two positions.
    ///
    /// - Returns: Nil if the records do not reach from one to the other.
    func tables(from former: LogPosition, to newest: LogPosition) -> ForeignTables? {
        guard former != newest else { return ForeignTables(key: key) }
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
        return ForeignTables(key: key, marks: marks)
    }
}

/// The tables that other processes have written, of which only the marks are known.
struct ForeignTables: Sendable {
    private let key: CommitRecordKey
    private var marks: Set<UInt64>

    fileprivate init(key: CommitRecordKey, marks: Set<UInt64> = []) {
        self.key = key
        self.marks = marks
    }

    var isEmpty: Bool { marks.isEmpty }

    /// - Parameter table: The name of a table, in lower case.
    func contains(_ table: String) -> Bool { marks.contains(key.mark(of: table)) }

    /// - Returns: False if the marks cannot be compared with each other, because they have different keys.
    mutating func formUnion(_ other: ForeignTables) -> Bool {
        guard key === other.key else { return false }
        marks.formUnion(other.marks)
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

    /// - Parameter derived: The key of the database; nil for plaintext, which has nothing to hide.
    /// - Throws: ``StrongroomError`` with `engine` if libcrypto fails.
    init(_ derived: DerivedKey?) throws {
        let (secret, salt) = derived?.withRawKey { (SecretBytes($0), $1) } ?? (SecretBytes([0]), [])
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
