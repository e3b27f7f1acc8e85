/// Secret bytes in a separate allocation, which is overwritten when the last copy is released.
package struct SecretBytes: Sendable {
    private let storage: WipedMemory

    /// Copies bytes.
    package init(_ bytes: UnsafeRawBufferPointer) {
        storage = WipedMemory(count: bytes.count)
        storage.bytes.copyMemory(from: bytes)
    }

    /// Copies bytes; the caller's array is not overwritten.
    package init(_ bytes: [UInt8]) {
        self = bytes.withUnsafeBytes { SecretBytes($0) }
    }

    /// Allocates memory and fills it, without an intermediate copy.
    ///
    /// - Parameter fill: Writes all bytes, which are initially zero.
    init(count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
        storage = WipedMemory(count: count)
        try fill(storage.bytes)
    }

    /// Bytes from the system's random number generator.
    static func random(count: Int) -> SecretBytes {
        var generator = SystemRandomNumberGenerator()
        return SecretBytes(count: count) { bytes in
            for index in bytes.indices { bytes[index] = generator.next() }
        }
    }

    var count: Int { storage.bytes.count }

    /// Calls a closure with a pointer to the bytes.
    package func withUnsafeBytes<T>(_ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T {
        defer { withExtendedLifetime(storage) {} }
        return try body(UnsafeRawBufferPointer(storage.bytes))
    }
}

extension SecretBytes: Equatable {
    /// Compares in a time that depends only on the number of bytes.
    package static func == (left: SecretBytes, right: SecretBytes) -> Bool {
        left.withUnsafeBytes { left in right.withUnsafeBytes { Cryptography.isEqual(left, $0) } }
    }
}

extension SecretBytes: CustomStringConvertible, CustomReflectable {
    /// Never contains the bytes.
    package var description: String { "SecretBytes(\(count))" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
