/// A stored value that is read in parts; lent to the closure of `Table.withBlob`.
///
/// ```swift
/// let header = try Document.withBlob(\.content, of: key, in: db) { blob in
///     try blob.read(min(16, blob.count), at: 0)
/// }
/// ```
///
/// It cannot be copied or stored; the compiler enforces both.
public struct BlobReader: ~Copyable {
    private let blob: OpenBlob

    init(_ blob: OpenBlob) {
        self.blob = blob
    }

    /// The size of the value in bytes.
    public var count: Int { blob.count }

    /// Reads bytes.
    ///
    /// - Parameters:
    ///   - length: The number of bytes.
    ///   - offset: The first byte, counted from 0.
    /// - Returns: The bytes.
    /// - Throws: As ``read(into:at:)``.
    public func read(_ length: Int, at offset: Int) throws -> [UInt8] {
        // Without this check, a wrong length would be allocated.
        guard length >= 0, length <= count else { throw blob.isOutside(offset, length) }
        return try [UInt8](capacity: length) { buffer, initialized in
            try blob.read(
                into: UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: buffer[..<length])), at: offset
            )
            initialized = length
        }
    }

    /// Reads as many bytes as a buffer has.
    ///
    /// - Parameters:
    ///   - buffer: The memory; empty for none.
    ///   - offset: The first byte, counted from 0.
    /// - Throws: ``StrongroomError`` with `invalidArgument` for bytes outside of the value, `blobChanged` if the
    ///   transaction has changed the row since the value was opened, `damaged`, or the engine's error;
    ///   `CancellationError`.
    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws {
        try blob.read(into: buffer, at: offset)
    }

    /// Passes the value to a closure, one part at a time.
    ///
    /// - Parameters:
    ///   - size: The size of each part in bytes, at least 1; the last one may be smaller.
    ///   - body: Receives the parts in order, each valid only during the call.
    /// - Throws: As ``read(into:at:)``; what the closure throws.
    public func forEachPart(of size: Int = 1 << 18, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        guard size > 0 else { throw Self.wrongPartSize }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: min(size, max(count, 1)), alignment: 16)
        defer { buffer.deallocate() }
        var offset = 0
        while offset < count {
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(size, count - offset)])
            try blob.read(into: part, at: offset)
            try body(UnsafeRawBufferPointer(part))
            offset += part.count
        }
    }

    static var wrongPartSize: StrongroomError {
        StrongroomError(.invalidArgument, "A part of a value must have at least one byte; pass a positive part size.")
    }
}
