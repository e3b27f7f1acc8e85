import Strongroom

/// An object of a replica: its header, the index of its pages, the envelope, the pages, and a digest of all that.
struct ReplicaObject: Sendable {
    let header: ObjectHeader
    /// The numbers of the pages, and their versions.
    let index: [(number: UInt32, version: PageVersion)]
    let bytes: [UInt8]

    /// Makes an object.
    ///
    /// - Parameters:
    ///   - header: The header, whose numbers of pages and bytes are set here.
    ///   - batch: The pages; nil for none.
    ///   - envelope: The envelope; nil if it has not changed.
    init(_ header: ObjectHeader, _ batch: PageBatch?, envelope: [UInt8]?) {
        var header = header
        header.pages = UInt32(batch?.numbers.count ?? 0)
        header.envelopeLength = UInt32(envelope?.count ?? 0)
        let index = (batch?.numbers ?? []).enumerated().map { ($1, batch?.version(at: $0) ?? .none) }
        var bytes = header.bytes
        bytes.reserveCapacity(header.objectLength)
        for (number, version) in index {
            bytes += number.bigEndianBytes
            bytes += version.bytes
        }
        bytes += envelope ?? []
        bytes += batch?.content ?? []
        bytes += Digests.sha256(bytes)
        (self.header, self.index, self.bytes) = (header, index, bytes)
    }

    /// Reads an object, and checks its digest.
    ///
    /// - Throws: `StrongroomError` with `newerReplica`, `replicaDamaged`.
    init(_ bytes: [UInt8], of name: String) throws {
        let header = try ObjectHeader(bytes, of: name)
        guard bytes.count == header.objectLength else {
            throw StrongroomError.damaged(
                name, "it has \(bytes.count.counting("byte")), and by its header \(header.objectLength)")
        }
        guard Digests.content(of: bytes) != nil else {
            throw StrongroomError.damaged(name, "its digest is another one than that of its content")
        }
        self.header = header
        self.bytes = bytes
        index = try Self.index(bytes, header, of: name)
    }

    /// The index of an object.
    ///
    /// - Parameter bytes: The object up to the end of its index, at least.
    static func index(
        _ bytes: [UInt8], _ header: ObjectHeader, of name: String
    ) throws -> [(number: UInt32, version: PageVersion)] {
        var reader = StoredReader(
            bytes.dropFirst(ObjectHeader.length), or: StrongroomError.damaged(name, "its index is cut off"))
        var previous: UInt32 = 0
        return try (0..<header.pages).map { _ in
            let number: UInt32 = try reader.number()
            guard number > previous, number <= header.databasePages else {
                throw StrongroomError.damaged(name, "its index names a page that the database cannot have")
            }
            previous = number
            return (number, try reader.bytes(PageVersion.length).withUnsafeBytes { PageVersion($0, at: 0) })
        }
    }

    /// What the next change refers to.
    var digest: [UInt8] { Array(bytes.suffix(Digests.length)) }

    /// The envelope; nil if the object has none.
    var envelope: [UInt8]? {
        guard header.envelopeLength > 0 else { return nil }
        return Array(bytes[header.indexEnd..<header.indexEnd + Int(header.envelopeLength)])
    }

    /// Calls a function with each page.
    func forEachPage(_ body: (_ number: UInt32, _ content: UnsafeRawBufferPointer) throws -> Void) rethrows {
        let start = header.indexEnd + Int(header.envelopeLength)
        try bytes.withUnsafeBytes { bytes in
            for (position, entry) in index.enumerated() {
                let offset = start + position * header.form.size
                try body(entry.number, UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + header.form.size]))
            }
        }
    }
}
