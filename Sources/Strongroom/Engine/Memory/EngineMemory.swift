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
    /// Whether the engine overwrites memory before it frees it, in the whole process. This is so from the first
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
    /// The engine's own count is turned off: it takes a mutex of the whole process for each allocation, for which
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
