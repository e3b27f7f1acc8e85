import Strongroom

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Standard input as bytes.
enum StandardInput {
    /// Reads to the end.
    ///
    /// - Parameter most: The maximum number of bytes; further bytes are not read.
    static func read(atMost most: Int) throws -> [UInt8] {
        try [UInt8](capacity: most) { buffer, filled in
            while filled < most, let start = buffer.baseAddress {
                let length = Self.read(start + filled, most - filled)
                guard length >= 0 || errno == EINTR else {
                    throw CommandFailure("inputOutput", "Standard input could not be read.", .inputOutput)
                }
                if length == 0 { return }
                filled += max(length, 0)
            }
        }
    }

    private static func read(_ start: UnsafeMutablePointer<UInt8>, _ count: Int) -> Int {
        #if canImport(Darwin)
        Darwin.read(STDIN_FILENO, start, count)
        #elseif canImport(Musl)
        Musl.read(STDIN_FILENO, start, count)
        #else
        Glibc.read(STDIN_FILENO, start, count)
        #endif
    }
}
