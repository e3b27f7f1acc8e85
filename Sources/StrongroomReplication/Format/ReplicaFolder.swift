import Strongroom

/// The newest change of a replica, as a list shows it.
struct NewestChange: Sendable, Equatable {
    let number: UInt64
    /// The length of its object, in bytes.
    let size: Int
}

/// The folder of a replica in an object store.
struct ReplicaFolder: Sendable {
    let objects: any ObjectStore
    let name: String

    /// What distinguishes the record of this replica from those of the database's other replicas.
    var recordName: String {
        let digest = Digests.sha256(Array("\(objects.location)\n\(name)".utf8))
        return digest.prefix(4).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// The full name of an object of the folder.
    func path(of object: String) -> String { "\(name)/\(object)" }

    func path(ofChange number: UInt64) -> String { path(of: ObjectName.change(number)) }

    func path(ofBase base: String, part: Int) -> String {
        "\(name)/\(ObjectName.bases)/\(base)/\(ObjectName.part(part))"
    }

    /// The number of the newest change; nil if there is none.
    func newestChange() async throws -> UInt64? { try await newestEntry()?.number }

    /// The number and the length of the newest change; nil if there is none.
    func newestEntry() async throws -> NewestChange? {
        // Names that are none of ours come last: those of changes begin with "f" for 2⁶⁰ changes.
        let entry = try await objects.list(name, after: ObjectName.beforeChanges, count: 1).first
        return try entry.map(newest)
    }

    /// The newest change, from its entry in a list.
    func newest(_ entry: ObjectEntry) throws -> NewestChange {
        guard let number = ObjectName.number(ofChange: entry.name) else {
            throw StrongroomError(
                .replicaDamaged,
                """
                "\(name)/\(entry.name)" is no object of a replica. Give the replica a folder in which nothing else is \
                stored.
                """)
        }
        return NewestChange(number: number, size: try size(entry, in: name))
    }

    /// The length of an object in a list.
    ///
    /// - Throws: `StrongroomError` with `replicaDamaged` for one that no writer has written.
    func size(_ entry: ObjectEntry, in folder: String) throws -> Int {
        guard (0...ObjectHeader.maxLength).contains(entry.size) else {
            throw StrongroomError.damaged(
                "\(folder)/\(entry.name)", "a list says that it has \(entry.size.counting("byte"))")
        }
        return entry.size
    }

    /// The newest change, by which a writer knows whether it is its own.
    struct Head: Sendable, Equatable {
        let header: ObjectHeader
        let digest: [UInt8]
    }

    /// The newest change; nil if there is none.
    func head() async throws -> Head? {
        guard let newest = try await newestChange() else { return nil }
        let path = path(ofChange: newest)
        guard let header = try await header(path) else { throw missing(path) }
        return Head(header: header, digest: try await digest(path, header))
    }

    /// Throws unless a change that was created is the newest, and those before it are there: otherwise no restore could
    /// reach it.
    ///
    /// - Parameter count: How many of those before it are checked.
    /// - Throws: `StrongroomError` with `notOwner` if there is a newer one, `replicaIncomplete` if one is missing.
    func requireNewest(_ number: UInt64, after count: Int) async throws {
        let oldest = number - min(UInt64(count), number - 1)
        // Of the first one no change before is missing if it was removed.
        if number > 1, objects is DirectoryObjectStore { return try await requireNeighbours(of: number, since: oldest) }
        let entries = try await objects.list(name, after: ObjectName.beforeChanges, count: 2)
        guard let first = try entries.first.map({ try newest($0).number }), first >= number else {
            throw missing(path(ofChange: number))
        }
        guard first == number else { throw StrongroomError.notOwner(name) }
        guard oldest < number else { return }
        guard entries.count == 2, ObjectName.number(ofChange: entries[1].name) == number - 1 else {
            throw missing(path(ofChange: number - 1))
        }
        guard oldest + 1 < number else { return }
        let last = try await changes(from: number, downTo: oldest).last?.number ?? number
        guard last == oldest else { throw missing(path(ofChange: last - 1)) }
    }

    /// The same by the names: a directory's list is as long as the replica is old. Changes are removed from the oldest
    /// to the newest, so of a number that was removed, and is free again, the one before is missing.
    private func requireNeighbours(of number: UInt64, since oldest: UInt64) async throws {
        func exists(_ number: UInt64) async throws -> Bool {
            try await objects.read(path(ofChange: number), 0..<0) != nil
        }
        guard try await exists(number) else { throw missing(path(ofChange: number)) }
        guard try await !exists(number + 1) else { throw StrongroomError.notOwner(name) }
        for earlier in (oldest..<number).reversed() {
            guard try await exists(earlier) else { throw missing(path(ofChange: earlier)) }
        }
    }

    /// The numbers and lengths of the changes up to a number that follow each other without a gap, from the newest to
    /// the oldest; older ones before a gap are the rest of what was removed.
    ///
    /// - Parameters:
    ///   - newest: The first number; nil for the newest.
    ///   - oldest: The last number that is of interest.
    ///   - isInspecting: Whether one of a length that no writer makes is in the result, as empty, instead of an error.
    func changes(
        from newest: UInt64? = nil, downTo oldest: UInt64 = 1, isInspecting: Bool = false
    ) async throws -> [(number: UInt64, size: Int)] {
        var found: [(number: UInt64, size: Int)] = []
        var foreign = 0
        var last = newest.map { ObjectName.change($0 + 1) } ?? ObjectName.beforeChanges
        while true {
            let entries = try await objects.list(name, after: last, count: Self.pageLength)
            for entry in entries {
                guard let number = ObjectName.number(ofChange: entry.name) else {
                    foreign += 1
                    continue
                }
                guard found.last.map({ $0.number == number + 1 }) ?? true, number >= oldest else { return found }
                let size = try isInspecting ? (try? self.size(entry, in: name)) ?? 0 : self.size(entry, in: name)
                found.append((number, size))
            }
            // No writer makes a list of other names without an end.
            guard entries.count == Self.pageLength, let entry = entries.last, foreign < Self.pageLength else {
                return found
            }
            last = entry.name
        }
    }

    private static let pageLength = 1_000

    /// The folders of the bases, those of the newest states first.
    func bases() async throws -> [(folder: String, number: UInt64)] {
        try await objects.folders(in: "\(name)/\(ObjectName.bases)").compactMap { folder in
            ObjectName.number(ofBase: folder).map { (folder, $0) }
        }
    }

    /// The parts of a base.
    ///
    /// - Returns: Nil if the base is not complete.
    func parts(ofBase folder: String) async throws -> [ObjectEntry]? {
        guard let parts = try await listedParts(ofBase: folder) else { return nil }
        return try await header(path(ofBase: folder, part: parts.count - 1))?.isLast == true ? parts : nil
    }

    /// The parts of a base, of which a list does not tell whether the last one is missing.
    ///
    /// - Returns: Nil if there are none, or if one in between is missing.
    func listedParts(ofBase folder: String) async throws -> [ObjectEntry]? {
        let path = "\(name)/\(ObjectName.bases)/\(folder)"
        var parts: [ObjectEntry] = []
        while true {
            let entries = try await objects.list(path, after: parts.last?.name, count: Self.pageLength)
            for entry in entries {
                guard ObjectName.index(ofPart: entry.name) == parts.count else { return nil }
                _ = try size(entry, in: path)
                parts.append(entry)
            }
            guard entries.count == Self.pageLength else { break }
        }
        return parts.isEmpty ? nil : parts
    }

    /// The parts of a base that can be used: complete, and of the state of its change; nil for another one, also for
    /// one that is damaged: there may be an older one.
    func usableParts(ofBase folder: String, of number: UInt64) async throws -> [ObjectEntry]? {
        do {
            guard let parts = try await parts(ofBase: folder), try await isBase(folder, of: number) else { return nil }
            return parts
        } catch let error as StrongroomError where error.code == .replicaDamaged {
            return nil
        }
    }

    /// Whether the change is there whose state a base has, and which the base names by its digest.
    ///
    /// To be asked before the base is used, since another writer that has lost the replica may have left one of the
    /// same number; and again when everything has been read. Old states are removed in ascending order, so as long as
    /// this change is there, no later one has been removed, and none that was read has come late under the number of a
    /// removed one.
    func isBase(_ folder: String, of number: UInt64) async throws -> Bool {
        guard let base = try await header(path(ofBase: folder, part: 0)), base.kind == .base, base.number == number
        else { return false }
        let path = path(ofChange: number)
        guard let change = try await header(path), change.replica == base.replica else { return false }
        return try await digest(path, change) == base.previous
    }

    /// Throws unless a base is still of the state of its change.
    func requireBase(_ folder: String, of number: UInt64) async throws {
        guard try await isBase(folder, of: number) else { throw missing(path(ofChange: number)) }
    }

    /// The header of an object; nil if there is none.
    func header(_ path: String) async throws -> ObjectHeader? {
        guard let bytes = try await objects.read(path, 0..<ObjectHeader.length) else { return nil }
        return try ObjectHeader(bytes, of: path)
    }

    /// The header and the index of an object, and its digest.
    func outline(_ path: String) async throws -> Outline {
        guard var bytes = try await objects.read(path, 0..<Self.firstRead) else { throw missing(path) }
        let header = try ObjectHeader(bytes, of: path)
        if bytes.count < min(header.indexEnd, header.objectLength) {
            guard let longer = try await objects.read(path, 0..<header.indexEnd) else { throw missing(path) }
            bytes = longer
        }
        let index = try ReplicaObject.index(bytes, header, of: path)
        return Outline(header: header, index: index)
    }

    struct Outline {
        let header: ObjectHeader
        let index: [(number: UInt32, version: PageVersion)]
    }

    /// The digest of an object.
    func digest(_ path: String, _ header: ObjectHeader) async throws -> [UInt8] {
        let range = header.objectLength - Digests.length..<header.objectLength
        guard let bytes = try await objects.read(path, range), bytes.count == Digests.length else {
            throw missing(path)
        }
        return bytes
    }

    private static let firstRead = 16_384

    /// An entire object.
    func object(_ path: String) async throws -> ReplicaObject {
        // What an object is at most long is in its header.
        guard let beginning = try await objects.read(path, 0..<Self.firstRead) else { throw missing(path) }
        let length = try ObjectHeader(beginning, of: path).objectLength
        guard length > beginning.count, beginning.count == Self.firstRead else {
            return try ReplicaObject(beginning, of: path)
        }
        guard let rest = try await objects.read(path, beginning.count..<length + 1) else { throw missing(path) }
        return try ReplicaObject(beginning + rest, of: path)
    }

    /// The error for an object that is needed.
    func missing(_ path: String) -> StrongroomError {
        StrongroomError(
            .replicaIncomplete,
            """
            The replica "\(name)" lacks the object "\(path)". If old states are removed at this moment, try again; \
            otherwise put it back from a copy of the replica, or restore to a time before it.
            """)
    }
}
