import CSQLCipher

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The memory that the engine allocates, for pages, rows and sorted values in plaintext.
///
/// See SQLite's documentation, "Dynamic Memory Allocation In SQLite", section 3.1.4 (sqlite.org/malloc.html).
enum EngineMemory {
    /// Whether the engine overwrites what it frees, in the whole process. It does from the first connection on, unless
    /// another library has used the engine before: then nothing can be changed.
    ///
    /// SQLCipher 4 has `cipher_memory_security` for this, which also locks the memory, and is refused beyond the few
    /// pages that a process may lock; version 3 has nothing.
    static let isWiped = strongroom_wipe_freed_memory() == SQLITE_OK
}

extension UnsafeMutableRawBufferPointer {
    /// Overwrites the memory with zeros, also when nothing reads it any more, where an ordinary write would be left
    /// out.
    func wipe() {
        guard let baseAddress else { return }
        #if canImport(Darwin)
        memset_s(baseAddress, count, 0, count)
        #else
        explicit_bzero(baseAddress, count)
        #endif
    }
}
