import CSQLCipher

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The memory that the engine allocates for pages, rows and sorted values in plaintext.
///
/// See SQLite's documentation, "Dynamic Memory Allocation In SQLite", section 3.1.4 (sqlite.org/malloc.html).
enum EngineMemory {
    /// Whether the engine overwrites memory before it frees it, in the entire process. This is so from the first
    /// connection on, unless other code has initialised the engine before: its configuration can then no longer change.
    ///
    /// SQLCipher 4 has `cipher_memory_security`, which also locks the memory and fails beyond the few pages that a
    /// process may lock; version 3 has no such setting.
    static let isWiped = wipeFreedMemory()

    // Each object file has its own copy of what the header keeps, so both functions have to stay in that of this file.
    @inline(never)
    private static func wipeFreedMemory() -> Bool { strongroom_wipe_freed_memory() == SQLITE_OK }

    @inline(never)
    private static func allocated() -> Int { strongroom_memory_used() }

    /// How much of it is allocated in the process, in bytes; 0 if the engine was initialised by other code and built
    /// without its statistics.
    ///
    /// The engine's own count is turned off: it takes a mutex of the process for each allocation, for which
    /// threads wait that use the engine at the same time. See `SQLITE_CONFIG_MEMSTATUS` in SQLite's documentation,
    /// "Configuration Options".
    static var used: Int { isWiped ? allocated() : Int(sqlite3_memory_used()) }
}

extension UnsafeMutableRawBufferPointer {
    /// Overwrites the memory with zeros. The compiler cannot remove this write, as it could an ordinary one to memory
    /// that is not read again.
    package func wipe() {
        guard let baseAddress else { return }
        #if canImport(Darwin)
        memset_s(baseAddress, count, 0, count)
        #else
        explicit_bzero(baseAddress, count)
        #endif
    }
}

extension UnsafeRawBufferPointer {
    /// Whether another buffer has the same bytes. Takes longer the more of them are equal: not for secrets.
    func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let start = baseAddress, let otherStart = other.baseAddress else { return true }
        return memcmp(start, otherStart, count) == 0
    }
}

/// Bytes of decrypted pages in a separate allocation, which is overwritten when the last slice of it is released.
///
/// A slice shares the memory and begins at index 0. An array's memory is freed without being overwritten,
/// and the buffers that an array abandons when it grows are no longer reachable.
struct WipedBytes: Sendable {
    private let storage: WipedMemory
    private let offset: Int
    let count: Int

    init(count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
        storage = WipedMemory(count: count)
        offset = 0
        self.count = count
        try fill(storage.bytes)
    }

    init(copying bytes: some Collection<UInt8>) {
        self.init(count: bytes.count) { $0.copyBytes(from: bytes) }
    }

    init(_ parts: [WipedBytes]) {
        guard parts.count != 1 else {
            self = parts[0]
            return
        }
        self.init(count: parts.reduce(0) { $0 + $1.count }) { bytes in
            var end = 0
            for part in parts {
                part.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: bytes[end...]).copyMemory(from: $0) }
                end += part.count
            }
        }
    }

    private init(_ storage: WipedMemory, _ range: Range<Int>) {
        self.storage = storage
        offset = range.lowerBound
        count = range.count
    }

    static let none = WipedBytes(count: 0) { _ in }

    /// A slice; the range must lie within the bytes.
    func part(_ range: Range<Int>) -> WipedBytes {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "The range is out of bounds.")
        return WipedBytes(storage, range.lowerBound + offset..<range.upperBound + offset)
    }

    func withUnsafeBytes<T>(_ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T {
        defer { withExtendedLifetime(storage) {} }
        return try body(UnsafeRawBufferPointer(rebasing: storage.bytes[offset..<offset + count]))
    }
}

extension WipedBytes: RandomAccessCollection {
    var startIndex: Int { 0 }
    var endIndex: Int { count }

    subscript(position: Int) -> UInt8 {
        precondition(position >= 0 && position < count, "The index is out of bounds.")
        return withExtendedLifetime(storage) { storage.bytes[offset + position] }
    }
}

extension WipedBytes: Hashable {
    static func == (left: WipedBytes, right: WipedBytes) -> Bool { left.elementsEqual(right) }

    func hash(into hasher: inout Hasher) {
        withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}

extension WipedBytes: CustomStringConvertible, CustomReflectable {
    /// Never contains the bytes.
    var description: String { "WipedBytes(\(count))" }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Memory that is initially zero and is overwritten before it is freed.
// Written only during the initialisation of its owner.
final class WipedMemory: @unchecked Sendable {
    let bytes: UnsafeMutableRawBufferPointer

    init(count: Int) {
        bytes = .allocate(byteCount: count, alignment: 16)
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
    }

    deinit {
        bytes.wipe()
        bytes.deallocate()
    }
}

extension [UInt8] {
    /// The bytes that `fill` writes.
    ///
    /// The standard library's initializer writes the count also into the empty array, which all threads share: the
    /// thread sanitizer reports that as a data race.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of bytes.
    ///   - fill: Writes into memory of this size, and says how many bytes it has written.
    package init(
        capacity: Int, fill: (_ buffer: inout UnsafeMutableBufferPointer<UInt8>, _ filled: inout Int) throws -> Void
    ) rethrows {
        guard capacity > 0 else {
            var (nowhere, filled) = (UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0), 0)
            // It may throw all the same.
            try fill(&nowhere, &filled)
            self = []
            return
        }
        try self.init(unsafeUninitializedCapacity: capacity, initializingWith: fill)
    }
}
