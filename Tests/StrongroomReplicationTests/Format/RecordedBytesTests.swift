import Strongroom
@testable import StrongroomReplication
import Testing

/// What earlier versions have stored is read, and written again byte by byte.
@Suite struct RecordedBytesTests {
    private let writer = ObjectHeader.Identifier(bytes: Array(1...16))
    private let replica = ObjectHeader.Identifier(bytes: Array(33...48))
    private let digest = [UInt8](64...95)
    private let form = PageForm(size: 512, vectorOffset: 464)
    private let number: UInt64 = 0x01_0203_0405

    /// Bytes as hexadecimal digits; lines may break anywhere.
    private func bytes(_ digits: String) -> [UInt8] {
        let digits = Array(digits.utf8.filter { $0 != UInt8(ascii: "\n") })
        return stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
        }
    }

    @Test func `an object`() throws {
        let page = (0..<512).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let recorded = bytes(Self.objectBeginning) + page + bytes(Self.objectDigest)
        let read = try ReplicaObject(recorded, of: "object")
        var header = ObjectHeader(
            kind: .change, isLast: true, part: 2, form: form, pages: 0, databasePages: 7, number: number,
            time: 1_700_000_000_123, writer: writer, replica: replica, envelopeLength: 0, previous: digest)
        let batch = PageBatch(form: form, databasePages: 7, numbers: [3], content: page, isLast: true)
        #expect(ReplicaObject(header, batch, envelope: [9, 8, 7]).bytes == recorded)
        (header.pages, header.envelopeLength) = (1, 3)
        #expect(read.header == header && read.envelope == [9, 8, 7] && read.bytes == recorded)
        #expect(read.index.map(\.number) == [3] && read.index.map(\.version) == [batch.version(at: 0)])
    }

    /// An object store may answer with fewer bytes than it was asked for.
    @Test(arguments: [0, 1, 143, 144, 150])
    func `an index that is cut off is damage`(length: Int) throws {
        let recorded = bytes(Self.objectBeginning)
        let header = try ObjectHeader(recorded, of: "object")
        let error = #expect(throws: StrongroomError.self) {
            try ReplicaObject.index(Array(recorded.prefix(length)), header, of: "object")
        }
        #expect(error?.code == .replicaDamaged)
    }

    @Test func `a lease`() throws {
        let lease = LeaseObject(owner: "höst-1", end: 1_700_000_000_456)
        #expect(lease.bytes == bytes(Self.lease))
        #expect(try LeaseObject(bytes(Self.lease), of: "lease") == lease)
        let withStart = LeaseObject(owner: "höst-1", start: "b1946ac9", end: 1)
        #expect(try LeaseObject(withStart.bytes, of: "lease") == withStart)
        let withZero = LeaseObject(owner: "a\0b", end: 1)
        #expect(try LeaseObject(withZero.bytes, of: "lease") == withZero)
    }

    @Test func `a record of what was shipped`() throws {
        var record = ReplicaRecord(replica: replica, number: number, digest: digest, sequence: 77)
        record.attempt([UInt8](repeating: 0xAB, count: 32))
        record.attempt([UInt8](1...32))
        let unused = [UInt8](repeating: 0, count: 448)
        let recorded = bytes(Self.recordBeginning) + unused + bytes(Self.recordDigest)
        #expect(record.bytes == recorded)
        #expect(try ReplicaRecord(recorded) == record)
    }

    @Test func `the state that a file had`() throws {
        let state = ShippedState(
            sequence: 77, number: number, digest: digest, size: 1_234, stamp: FileStamp(bytes: [UInt8](128...159)))
        #expect(state.bytes == bytes(Self.state))
        #expect(try ShippedState(bytes(Self.state)) == state)
    }

    @Test func `how far a restore is`() async throws {
        // A replica with one claim and one base, whose name the note has.
        let objects = MemoryObjectStore()
        let folder = ReplicaFolder(objects: objects, name: "clinic")
        var header = ObjectHeader(
            kind: .claim, isLast: true, part: 0, form: form, pages: 0, databasePages: 0, number: 1, time: 1,
            writer: writer, replica: replica, envelopeLength: 0, previous: [UInt8](repeating: 0, count: 32))
        let claim = ReplicaObject(header, nil, envelope: nil)
        _ = try await objects.create(folder.path(ofChange: 1), claim.bytes)
        (header.kind, header.previous, header.databasePages) = (.base, claim.digest, 1)
        let pages = PageBatch(
            form: form, databasePages: 1, numbers: [1], content: [UInt8](repeating: 5, count: 512), isLast: true)
        let base = ReplicaObject(header, pages, envelope: nil)
        _ = try await objects.create(folder.path(ofBase: ObjectName.base(1, 0xAA), part: 0), base.bytes)
        let plan = try await RestorePlan(folder, to: .newest)
        var progress = RestoreProgress(of: plan)
        (progress.objects, progress.done, progress.pages) = (1, 321, 7)
        (progress.form, progress.digest, progress.replica) = (form, digest, replica)
        #expect(progress.bytes == bytes(Self.restoreWithoutEnvelope))
        #expect(try RestoreProgress(bytes(Self.restoreWithoutEnvelope), of: plan) == progress)
        progress.envelope = [9, 8, 7]
        #expect(progress.bytes == bytes(Self.restore))
        #expect(try RestoreProgress(bytes(Self.restore), of: plan) == progress)
    }

    private static let objectBeginning = """
        5374726e67526570000102010000000200000200000001d0000000010000000700000001020304050000018bcfe5687b
        0102030405060708090a0b0c0d0e0f102122232425262728292a2b2c2d2e2f3000000003000000000000000000000000
        00000000000000000000000000000000404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f
        00000003b0b7bec5ccd3dae1e8eff6fd040b1219090807
        """
    private static let objectDigest = """
        04769e94476ed13caa2edbe6dc01e52a22cd1fab90fb513502cb4732c635b0e6
        """
    private static let lease = """
        5374726e674c73650000018bcfe569c868c3b673742d31ee4169c714be64b5bea93a122b841d21f0cae4a62aff11f94c
        98fb42e42c29c6
        """
    private static let recordBeginning = """
        5374726e675265632122232425262728292a2b2c2d2e2f300000000102030405000000000000004d0000000000000002
        404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5fabababababababababababababababab
        abababababababababababababababab0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20
        """
    private static let recordDigest = """
        b20931fb34886c254aa9f4e38f25ee8a4921b1f57c43eff8f9d0225f741bbd7c
        """
    private static let state = """
        5374726e6746696c000000000000004d000000010203040500000000000004d2404142434445464748494a4b4c4d4e4f
        505152535455565758595a5b5c5d5e5f808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f
        45dcfe6a64e38b360070c0018a7498b528e9c6c086cce3d7a1b07505ccce5d14
        """
    private static let restore = """
        00000000000000010000000000000141000000000000020000000000000001d000000000000000070000000000000003
        0000000000000021404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f2122232425262728
        292a2b2c2d2e2f30666666666666666666666666666666652d30303030303030303030303030306161090807
        """
    private static let restoreWithoutEnvelope = """
        00000000000000010000000000000141000000000000020000000000000001d00000000000000007ffffffffffffffff
        0000000000000021404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f2122232425262728
        292a2b2c2d2e2f30666666666666666666666666666666652d30303030303030303030303030306161
        """
}
