/// A stored value that is written in parts; lent to the closure of `Table.writeBlob`.
///
/// ```swift
/// try Document.writeBlob(\.content, of: key, size: size, in: db) { blob in
///     while let part = try file.read(upToCount: 65_536), !part.isEmpty { try blob.append(part) }
/// }
/// ```
///
/// It cannot be copied or stored; the compiler enforces both. The size is fixed: the engine cannot make an open value
/// longer or shorter.
public struct BlobWriter: ~Copyable {
    private let blob: OpenBlob

    /// The first byte that `append` writes next, counted from 0.
    public private(set) var position = 0

    init(_ blob: OpenBlob) {
        self.blob = blob
    }

    /// The size of the value in bytes.
    public var count: Int { blob.count }

    /// Writes bytes behind those that were appended before.
    ///
    /// - Parameter bytes: The bytes: `Data`, `[UInt8]`, or a slice of them.
    /// - Throws: As ``write(_:at:)``.
    public mutating func append(_ bytes: some Collection<UInt8>) throws {
        position += try put(bytes, at: position)
    }

    /// Writes bytes behind those that were appended before.
    ///
    /// - Parameter bytes: The memory; empty for none.
    /// - Throws: As ``write(_:at:)``.
    public mutating func append(_ bytes: UnsafeRawBufferPointer) throws {
        try blob.write(bytes, at: position)
        position += bytes.count
    }

    /// Overwrites bytes anywhere in the value.
    ///
    /// - Parameters:
    ///   - bytes: The bytes: `Data`, `[UInt8]`, or a slice of them.
    ///   - offset: The first byte to overwrite, counted from 0.
    /// - Throws: ``StrongroomError`` with `invalidArgument` for bytes outside of the value, `blobChanged` if the
    ///   transaction has changed the row since the value was opened, `diskFull`, `damaged`, or the engine's error;
    ///   `CancellationError`.
    public func write(_ bytes: some Collection<UInt8>, at offset: Int) throws {
        try put(bytes, at: offset)
    }

    @discardableResult
    private func put(_ bytes: some Collection<UInt8>, at offset: Int) throws -> Int {
        let written = try bytes.withContiguousStorageIfAvailable { part in
            try blob.write(UnsafeRawBufferPointer(part), at: offset)
            return part.count
        }
        if let written { return written }
        let copy = [UInt8](bytes)
        try copy.withUnsafeBytes { try blob.write($0, at: offset) }
        return copy.count
    }

    /// Reads bytes, also those that were just written.
    ///
    /// - Parameters:
    ///   - length: The number of bytes.
    ///   - offset: The first byte, counted from 0.
    /// - Returns: The bytes.
    /// - Throws: As ``write(_:at:)``.
    public func read(_ length: Int, at offset: Int) throws -> [UInt8] {
        try BlobReader(blob).read(length, at: offset)
    }
}
