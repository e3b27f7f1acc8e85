/// Bytes of decrypted pages, in memory of their own that is overwritten when the last part of it is let go.
///
/// A part shares the memory with the whole and begins at index 0. An array's memory is freed as it is, and what an
/// array leaves behind where it has grown cannot be reached any more.
struct WipedBytes: Sendable {
    private let storage: WipedMemory
    private let offset: Int
    let count: Int

    /// Memory that is filled by a function.
    ///
    /// - Parameter fill: Writes all the bytes, which are zeros before.
    init(count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
        storage = WipedMemory(count: count)
        offset = 0
        self.count = count
        try fill(storage.bytes)
    }

    /// A copy of bytes.
    init(copying bytes: some Collection<UInt8>) {
        self.init(count: bytes.count) { $0.copyBytes(from: bytes) }
    }

    /// Joins parts.
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

    /// A part, which must lie within the bytes.
    func part(_ range: Range<Int>) -> WipedBytes {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "The range lies outside the bytes.")
        return WipedBytes(storage, range.lowerBound + offset..<range.upperBound + offset)
    }

    /// Lends the bytes.
    func withUnsafeBytes<T>(_ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T {
        defer { withExtendedLifetime(storage) {} }
        return try body(UnsafeRawBufferPointer(rebasing: storage.bytes[offset..<offset + count]))
    }
}

extension WipedBytes: RandomAccessCollection {
    var startIndex: Int { 0 }
    var endIndex: Int { count }

    subscript(position: Int) -> UInt8 {
        precondition(position >= 0 && position < count, "The index lies outside the bytes.")
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
    /// Never its content.
    var description: String { "WipedBytes(\(count))" }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
