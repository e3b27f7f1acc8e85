import Strongroom

/// The header of an object; <doc:ReplicaFormat> describes it byte by byte.
struct ObjectHeader: Sendable, Equatable {
    /// What an object has.
    enum Kind: UInt8, Sendable {
        /// All pages of a state, or a part of them.
        case base = 1
        /// The pages of one or several commits, or a part of them.
        case change = 2
        /// No pages: a new writer.
        case claim = 3
    }

    var kind: Kind
    /// Whether it is the last part of its base or its change.
    var isLast: Bool
    /// The index of the part, from 0.
    var part: UInt32
    /// The form of the pages.
    var form: PageForm
    /// The number of pages in the object.
    var pages: UInt32
    /// The number of pages of the database in the state that the object leads to.
    var databasePages: UInt32
    /// The number of the change; of a base, that of the change whose state it has.
    var number: UInt64
    /// When the object was created, in milliseconds since 1970; never before the object with the number before.
    var time: UInt64
    /// The session of a store that has written the object.
    var writer: Identifier
    /// The replica, which keeps its identifier for all its time.
    var replica: Identifier
    /// The length in bytes of the envelope in the object; 0 if it has none.
    var envelopeLength: UInt32
    /// The digest of the change before; of a base, that of the change whose state it has. Zeros for none.
    var previous: [UInt8]

    /// Its length in bytes.
    static let length = 144
    /// The format's version.
    static let version: UInt16 = 1
    static let magic: [UInt8] = Array("StrngRep".utf8)

    /// The length of the entry of a page in the object's index, in bytes.
    static let entryLength = 4 + PageVersion.length

    /// The length of the header and the index, in bytes.
    var indexEnd: Int { Self.length + Int(pages) * Self.entryLength }

    /// The length of the entire object, in bytes.
    var objectLength: Int { indexEnd + Int(envelopeLength) + Int(pages) * form.size + Digests.length }

    /// A random number that identifies a replica or a session.
    struct Identifier: Sendable, Hashable {
        static let length = 16

        let bytes: [UInt8]

        static func random() -> Identifier {
            var generator = SystemRandomNumberGenerator()
            return Identifier(bytes: (0..<length).map { _ in generator.next() })
        }

        init(bytes: [UInt8]) { self.bytes = bytes }

        init(reading reader: inout StoredReader) throws { bytes = try reader.bytes(Self.length) }
    }
}

extension ObjectHeader {
    var bytes: [UInt8] {
        let counts = [part, UInt32(form.size), UInt32(form.vectorOffset), pages, databasePages]
        var bytes = Self.magic + Self.version.bigEndianBytes + [kind.rawValue, isLast ? 1 : 0]
        bytes += counts.flatMap(\.bigEndianBytes) + [number, time].flatMap(\.bigEndianBytes)
        bytes += writer.bytes + replica.bytes + envelopeLength.bigEndianBytes
        return bytes + [UInt8](repeating: 0, count: Self.reserved) + previous
    }

    /// - Parameters:
    ///   - bytes: The beginning of an object.
    ///   - name: The object's name, for errors.
    /// - Throws: `StrongroomError` with `newerReplica`, or `replicaDamaged` for an object that is none of Strongroom's.
    init(_ bytes: [UInt8], of name: String) throws {
        guard bytes.count >= Self.length, bytes.starts(with: Self.magic) else {
            throw StrongroomError.damaged(name, "it does not begin as an object of a replica does")
        }
        let invalid = StrongroomError.damaged(name, "its header is not valid")
        var reader = StoredReader(bytes[Self.magic.count..<Self.length], or: invalid)
        let version: UInt16 = try reader.number()
        guard version <= Self.version else {
            throw StrongroomError(
                .newerReplica,
                """
                The object "\(name)" has format \(version) of replicas, and this program knows \(Self.version). Use a \
                newer version of Strongroom; nothing was changed.
                """)
        }
        let (kindByte, lastByte) = (try reader.byte(), try reader.byte())
        part = try reader.number()
        let (size, vector): (UInt32, UInt32) = (try reader.number(), try reader.number())
        guard version == Self.version, let kind = Kind(rawValue: kindByte), lastByte <= 1,
            (512...65_536).contains(size), size.nonzeroBitCount == 1, vector <= size - UInt32(PageVersion.length)
        else { throw invalid }
        (self.kind, isLast) = (kind, lastByte == 1)
        form = PageForm(size: Int(size), vectorOffset: Int(vector))
        (pages, databasePages) = (try reader.number(), try reader.number())
        (number, time) = (try reader.number(), try reader.number())
        (writer, replica) = (try Identifier(reading: &reader), try Identifier(reading: &reader))
        envelopeLength = try reader.number()
        _ = try reader.bytes(Self.reserved)
        previous = try reader.bytes(Digests.length)
        guard envelopeLength <= Self.maxEnvelope, pages <= Self.maxPages, number <= ObjectName.maxNumber,
            time <= Self.maxTime, objectLength <= Self.maxLength
        else { throw invalid }
    }

    /// Zeros for later versions, in bytes.
    private static let reserved = 28
    private static let maxEnvelope: UInt32 = 16 << 20
    private static let maxPages: UInt32 = 1 << 20
    /// The length of an object, in bytes: more than any writer creates, of 4 MiB of pages and an envelope. A longer one
    /// costs a forger nothing, as a file without content, and a reader its memory.
    static let maxLength = 64 << 20
    /// The end of the year 9999.
    private static let maxTime: UInt64 = 253_402_300_799_999
}

extension StrongroomError {
    /// The error for an object that is damaged, or foreign.
    static func damaged(_ name: String, _ reason: String) -> StrongroomError {
        StrongroomError(
            .replicaDamaged,
            """
            The object "\(name)" is damaged or none of Strongroom's: \(reason). Restore to a time before it, or put \
            back the object from a copy of the replica; `strongroom replica verify` lists what is damaged.
            """)
    }
}
