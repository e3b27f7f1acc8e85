/// Bytes of decrypted pages in a separate allocation, which is overwritten when the last slice of it is released.
///
/// A slice shares the memory of the whole and begins at index 0. An array's memory is freed without being overwritten,
/// and the buffers that an array abandons when it grows are no longer reachable.
struct WipedBytes: Sendable {
    private let storage: WipedMemory
    private let offset: Int
    let count: Int

    /// Allocates memory and fills it.
    ///
    /// - Parameter fill: Writes all bytes, which are initially zero.
    init(count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
        storage = WipedMemory(count: count)
        offset = 0
        self.count = count
        try fill(storage.bytes)
    }

    /// Copies bytes.
    init(copying bytes: some Collection<UInt8>) {
        self.init(count: bytes.count) { $0.copyBytes(from: bytes) }
    }

    /// Concatenates slices.
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

    /// Calls a closure with a pointer to the bytes.
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
