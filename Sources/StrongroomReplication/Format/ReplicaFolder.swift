import Strongroom

/// The folder of a replica in an object store.
struct ReplicaFolder: Sendable {
    let objects: any ObjectStore
    let name: String

    func path(ofChange number: UInt64) -> String { "\(name)/\(ObjectName.change(number))" }

    func path(ofBase base: String, part: Int) -> String {
        "\(name)/\(ObjectName.bases)/\(base)/\(ObjectName.part(part))"
    }

    /// The number of the newest change; nil if there is none.
    func newestChange() async throws -> UInt64? {
        // Names that are none of ours come last: those of changes begin with "f" for 2⁶⁰ changes.
        guard let entry = try await objects.list(name, after: nil, count: 1).first else { return nil }
        guard let number = ObjectName.number(ofChange: entry.name) else {
            throw StrongroomError(
                .replicaDamaged,
                """
                "\(name)/\(entry.name)" is no object of a replica. Give the replica a folder in which nothing else is \
                stored.
                """)
        }
        return number
    }

    /// The numbers and lengths of the changes up to a number that follow each other without a gap, from the newest to
    /// the oldest; older ones before a gap are the rest of what was removed.
    ///
    /// - Parameters:
    ///   - newest: The first number; nil for the newest.
    ///   - oldest: The last number that is of interest.
    func changes(from newest: UInt64? = nil, downTo oldest: UInt64 = 1) async throws -> [(number: UInt64, size: Int)] {
        var found: [(number: UInt64, size: Int)] = []
        var last = newest.map { ObjectName.change($0 + 1) }
        while true {
            let entries = try await objects.list(name, after: last, count: Self.pageLength)
            for entry in entries {
                guard let number = ObjectName.number(ofChange: entry.name) else { continue }
                guard found.last.map({ $0.number == number + 1 }) ?? true, number >= oldest else { return found }
                found.append((number, entry.size))
            }
            guard entries.count == Self.pageLength, let entry = entries.last else { return found }
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
        let path = "\(name)/\(ObjectName.bases)/\(folder)"
        var parts: [ObjectEntry] = []
        while true {
            let entries = try await objects.list(path, after: parts.last?.name, count: Self.pageLength)
            parts += entries
            guard entries.count == Self.pageLength else { break }
        }
        guard let last = parts.last, parts.enumerated().allSatisfy({ ObjectName.index(ofPart: $1.name) == $0 }) else {
            return nil
        }
        return try await header("\(path)/\(last.name)")?.isLast == true ? parts : nil
    }

    /// Throws unless a base is still complete. The removal of old states removes a base before any change that follows
    /// it: as long as the base is there, none of the changes that were read has been removed, and none is one that came
    /// late and took the number of a removed one.
    func requireBase(_ folder: String, _ parts: Int) async throws {
        let path = path(ofBase: folder, part: parts - 1)
        guard try await header(path) != nil else { throw missing(path) }
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
            guard let whole = try await objects.read(path, 0..<header.indexEnd) else { throw missing(path) }
            bytes = whole
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

    /// A whole object.
    func object(_ path: String) async throws -> ReplicaObject {
        guard let bytes = try await objects.read(path, nil) else { throw missing(path) }
        return try ReplicaObject(bytes, of: path)
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
