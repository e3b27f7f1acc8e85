@testable import Strongroom
@testable import StrongroomReplication

extension Reader {
    /// An object of a replica, which a service has stored.
    static let object = Reader("object", longest: 1 << 13) { input in
        let isSealed = input.flag()
        var bytes = input.remainder()
        if isSealed { bytes = Digests.stored(bytes.dropLast(Digests.length)) }
        let header = try ObjectHeader(bytes, of: "object")
        require(try ObjectHeader(header.bytes, of: "object") == header, "a header is read as it is written")
        require(header.objectLength <= ObjectHeader.maxLength, "an object's length is limited")
        let object = try ReplicaObject(bytes, of: "object")
        require(object.index.count == Int(header.pages), "the index has each page")
        var numbers: [UInt32] = []
        object.forEachPage { number, content in
            require(content.count == header.form.size, "a page is complete")
            require(number > (numbers.last ?? 0) && number <= header.databasePages, "the pages are in order")
            numbers.append(number)
        }
        require(object.envelope?.count ?? 0 == Int(header.envelopeLength), "the envelope is complete")
        require(object.bytes == bytes && object.digest.count == Digests.length, "an object keeps its bytes")
    }

    /// The small objects and files of a replica: leases, records, states, notes of interrupted restores, names.
    static let notes = Reader("notes", longest: 1 << 12) { input in
        let kind = input.byte() % 5
        let isSealed = input.flag()
        var bytes = input.remainder()
        if isSealed { bytes = Digests.stored(bytes.dropLast(Digests.length)) }
        switch kind {
        case 0:
            let lease = try LeaseObject(bytes, of: "lease")

            require(try LeaseObject(lease.bytes, of: "lease") == lease, "a lease is read as it is written")
        case 1:
            guard let record = try unlessDamaged({ try ReplicaRecord(bytes) }) else { return }
            require(try ReplicaRecord(record.bytes) == record, "a record is read as it is written")
        case 2:
            guard let state = try unlessDamaged({ try ShippedState(bytes) }) else { return }
            require(try ShippedState(state.bytes) == state, "a state is read as it is written")
        case 3:
            guard let state = try unlessDamaged({ try RestoreProgress(bytes, of: SampleReplica.plan) }) else { return }
            let again = try RestoreProgress(state.bytes, of: SampleReplica.plan)
            require(again == state, "a note is read as it is written")
        default: readName(String(decoding: bytes, as: UTF8.self))
        }
    }

    private static func unlessDamaged<T>(_ work: () throws -> T) rethrows -> T? {
        do {
            return try work()
        } catch is StoredReader.Damaged {
            return nil
        }
    }

    private static func readName(_ name: String) {
        if let number = ObjectName.number(ofChange: name) {
            require(ObjectName.change(number) == name, "a change has one name")
        }
        if let number = ObjectName.number(ofBase: name) {
            require(name.hasPrefix("\(ObjectName.change(number))-"), "a base has the name of its change")
        }
        if let index = ObjectName.index(ofPart: name) {
            require(ObjectName.part(index) == name, "a part has one name")
        }
    }
}
