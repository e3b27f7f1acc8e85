import CSQLCipher

/// Entries of an index, read one after the other: the sum of their hashes, and whether they are in the index's order.
///
/// The sum does not depend on the order, so that the entries can be compared with those that the rows of the table
/// should have. Hashes are seeded anew in each process.
final class IndexEntries {
    /// A column of an index, before the row id.
    struct Term {
        /// A collation that the engine has itself.
        enum Collation: String {
            case binary = "BINARY"
            /// The letters A to Z are equal to a to z.
            case noCase = "NOCASE"
        }

        /// Its name, quoted.
        let column: String
        let isDescending: Bool
        let collation: Collation
    }

    /// The number and the sum of the hashes of a set of entries.
    struct Sum: Equatable {
        private(set) var count: Int64 = 0
        private(set) var hashes: UInt64 = 0

        mutating func add(_ hash: UInt64) {
            count += 1
            hashes &+= hash
        }
    }

    private(set) var sum = Sum()
    private var current = Bytes()
    private var previous = Bytes()

    /// Whether the values are those that the entries have. An engine reads an integer in a REAL column as a `Double`.
    var areExact: Bool { !current.hasInexact && !previous.hasInexact }

    /// Adds an entry.
    ///
    /// - Parameters:
    ///   - statement: A statement with a current row.
    ///   - columns: The columns of its row that the entry has, the row id last.
    func add(_ statement: Statement, _ columns: some Sequence<Int32>) {
        swap(&current, &previous)
        sum.add(hash(statement, columns))
    }

    /// The hash of an entry, which is not added.
    func hash(_ statement: Statement, _ columns: some Sequence<Int32>) -> UInt64 {
        current.removeAll()
        for column in columns { current.add(statement.pointer, column) }
        var hasher = Hasher()
        hasher.combine(bytes: current.bytes)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    /// Whether the entry that was added last belongs after the one before it.
    ///
    /// - Parameters:
    ///   - terms: The columns before the row id.
    ///   - isUnique: Whether two entries may be equal in these columns only if one of them is NULL.
    func isInOrder(_ terms: [Term], isUnique: Bool) -> Bool {
        guard sum.count > 1 else { return true }
        var (left, right) = (Values(previous.bytes), Values(current.bytes))
        var hasNull = false
        for term in terms {
            let (first, second) = (left.next(), right.next())
            let order = first.order(to: second, term.collation)
            if order != 0 { return (order < 0) != term.isDescending }
            hasNull = hasNull || first.kind == SQLITE_NULL
        }
        guard hasNull || !isUnique else { return false }
        return left.next().order(to: right.next(), .binary) < 0
    }
}

extension IndexEntries {
    /// The values of an entry: of each its storage class, its number or its length, and its bytes.
    private struct Bytes {
        private var memory = WipedMemory(count: 256)
        private var count = 0
        /// Whether there was a number that may stand for an integer that is not exact as a `Double`.
        private(set) var hasInexact = false

        var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory.bytes[..<count]) }

        mutating func removeAll() { count = 0 }

        mutating func add(_ statement: OpaquePointer, _ column: Int32) {
            let kind = sqlite3_column_type(statement, column)
            switch kind {
            case SQLITE_INTEGER: add(kind, UInt64(bitPattern: sqlite3_column_int64(statement, column)))
            case SQLITE_FLOAT:
                let number = sqlite3_column_double(statement, column)
                hasInexact = hasInexact || (0x1p53...0x1p63).contains(number.magnitude)
                // A table stores -0.0 as the integer 0. Adding 0 makes them equal.
                add(kind, (number + 0).bitPattern)
            case SQLITE_TEXT:
                let text = UnsafeRawPointer(sqlite3_column_text(statement, column))
                add(kind, text, Int(sqlite3_column_bytes(statement, column)))
            case SQLITE_BLOB:
                let blob = sqlite3_column_blob(statement, column)
                add(kind, blob, Int(sqlite3_column_bytes(statement, column)))
            default: add(kind, 0)
            }
        }

        /// - Parameter number: The value, or the length of one that follows.
        private mutating func add(_ kind: Int32, _ number: UInt64) {
            reserve(Values.headLength)
            memory.bytes[count] = UInt8(truncatingIfNeeded: kind)
            memory.bytes.storeBytes(of: number, toByteOffset: count + 1, as: UInt64.self)
            count += Values.headLength
        }

        private mutating func add(_ kind: Int32, _ start: UnsafeRawPointer?, _ length: Int) {
            add(kind, UInt64(length))
            guard let start, length > 0 else { return }
            reserve(length)
            UnsafeMutableRawBufferPointer(rebasing: memory.bytes[count..<count + length])
                .copyMemory(from: UnsafeRawBufferPointer(start: start, count: length))
            count += length
        }

        private mutating func reserve(_ length: Int) {
            guard count + length > memory.bytes.count else { return }
            let larger = WipedMemory(count: max(2 * memory.bytes.count, count + length))
            larger.bytes.copyMemory(from: bytes)
            memory = larger
        }
    }

    /// The values of ``Bytes``, one after the other.
    private struct Values {
        static let headLength = 1 + MemoryLayout<UInt64>.size

        private let bytes: UnsafeRawBufferPointer
        private var position = 0

        init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

        mutating func next() -> StoredValue {
            let kind = Int32(bytes[position])
            let number = bytes.loadUnaligned(fromByteOffset: position + 1, as: UInt64.self)
            position += Self.headLength
            let length = kind == SQLITE_TEXT || kind == SQLITE_BLOB ? Int(number) : 0
            defer { position += length }
            return StoredValue(
                kind: kind, number: number,
                bytes: UnsafeRawBufferPointer(rebasing: bytes[position..<position + length]))
        }
    }

    /// A value, which is compared as the engine does it. See SQLite's documentation, "Datatypes In SQLite", section 4.1
    /// (sqlite.org/datatype3.html).
    private struct StoredValue {
        /// The engine's number of the storage class.
        let kind: Int32
        let number: UInt64
        let bytes: UnsafeRawBufferPointer

        private var integer: Int64 { Int64(bitPattern: number) }
        private var real: Double { Double(bitPattern: number) }

        /// NULL is less than numbers, they than texts, they than blobs.
        private var rank: Int {
            switch kind {
            case SQLITE_NULL: 0
            case SQLITE_INTEGER, SQLITE_FLOAT: 1
            case SQLITE_TEXT: 2
            default: 3
            }
        }

        /// Less than, equal to or greater than 0, as this value is to the other one.
        func order(to other: StoredValue, _ collation: Term.Collation) -> Int {
            guard rank == other.rank else { return rank - other.rank }
            switch (kind, other.kind) {
            case (SQLITE_INTEGER, SQLITE_INTEGER): return Self.order(integer, other.integer)
            case (SQLITE_FLOAT, SQLITE_FLOAT): return Self.order(real, other.real)
            case (SQLITE_INTEGER, SQLITE_FLOAT): return Self.order(integer, to: other.real)
            case (SQLITE_FLOAT, SQLITE_INTEGER): return -Self.order(other.integer, to: real)
            case (SQLITE_TEXT, _): return Self.order(bytes, other.bytes, collation)
            default: return Self.order(bytes, other.bytes, .binary)
            }
        }

        private static func order<T: Comparable>(_ left: T, _ right: T) -> Int {
            left < right ? -1 : left > right ? 1 : 0
        }

        /// Exact; not every integer is a `Double`.
        private static func order(_ left: Int64, to right: Double) -> Int {
            if right < -0x1p63 { return 1 }
            if right >= 0x1p63 { return -1 }
            let whole = Int64(right)
            return left == whole ? order(Double(left), right) : order(left, whole)
        }

        private static func order(
            _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer, _ collation: Term.Collation
        ) -> Int {
            for (first, second) in zip(left, right) {
                guard collation == .noCase else {
                    if first != second { return Int(first) - Int(second) }
                    continue
                }
                // The engine compares up to a NUL character, and then the lengths.
                if first == 0 || lowercased(first) != lowercased(second) {
                    let order = Int(lowercased(first)) - Int(lowercased(second))
                    if order != 0 { return order }
                    break
                }
            }
            return left.count - right.count
        }

        private static func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5a).contains(byte) ? byte + 0x20 : byte }
    }
}

extension Statement {
    /// Whether a column of the current row is an integer other than 0.
    func isTrue(at column: Int32) -> Bool { sqlite3_column_int64(pointer, column) != 0 }
}
