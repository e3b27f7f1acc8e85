package import Strongroom

/// The newest changes and the bases of many replicas, from lists that they share: one list has those of all replicas
/// with names that follow each other, up to 1,000 objects.
///
/// What it has is as old as itself; it serves to find files that have not changed, and is not stored.
package actor ReplicaLists {
    /// What lists have of a replica.
    struct Listed: Sendable {
        /// The newest change; nil if there is none.
        let newest: NewestChange?
        /// Whether there is a complete base that the changes up to the newest follow, by their names and lengths; false
        /// if the lists do not show it.
        let hasBase: Bool
    }

    /// The objects of a folder in a part of the list.
    private struct Folder {
        private(set) var newest: ObjectEntry?
        /// The greatest and the least number of the changes that follow each other from the newest.
        private var changes: ClosedRange<UInt64>?
        /// The bases, by their folders, the number of their parts, -1 if one in between is missing, and the last one's
        /// length.
        private var bases: [(folder: String, number: UInt64, parts: Int, length: Int)] = []

        /// Adds an object whose name follows ``ObjectName/beforeChanges``. The newest change comes first.
        mutating func add(_ name: String, size: Int) {
            let number = ObjectName.number(ofChange: name)
            if newest == nil {
                newest = ObjectEntry(name: name, size: size)
                changes = number.map { $0...$0 }
            } else if let number, let known = changes, number + 1 == known.lowerBound {
                changes = number...known.upperBound
            }
        }

        mutating func addPart(_ index: Int, of folder: String, _ number: UInt64, size: Int) {
            guard index > 0 else { return bases.append((folder, number, 1, size)) }
            guard let last = bases.indices.last, bases[last].folder == folder else { return }
            bases[last].parts = bases[last].parts == index ? index + 1 : -1
            bases[last].length = size
        }

        /// A part that others follow is full.
        var hasBase: Bool {
            bases.contains { base in
                base.parts > 0 && base.length < Shipper.objectLength && changes?.contains(base.number) == true
            }
        }
    }

    /// A part of the list of all objects of an object store.
    private struct Page {
        /// Names after this one are in it.
        let start: String
        /// The last name that is in it; nil at the end of the list.
        let end: String?
        private var folders: [String: Folder] = [:]

        init(start: String, end: String?, _ entries: [ObjectEntry]) {
            (self.start, self.end) = (start, end)
            for entry in entries { add(entry) }
        }

        private mutating func add(_ entry: ObjectEntry) {
            guard let (folder, name) = Self.split(entry.name) else { return }
            if ObjectName.beforeChanges.precedes(name) {
                folders[folder, default: Folder()].add(name, size: entry.size)
            } else if let index = ObjectName.index(ofPart: name), let (path, base) = Self.split(folder),
                let number = ObjectName.number(ofBase: base), let (replica, bases) = Self.split(path),
                bases == ObjectName.bases
            {
                folders[replica, default: Folder()].addPart(index, of: base, number, size: entry.size)
            }
        }

        private static func split(_ name: String) -> (folder: String, name: String)? {
            guard let slash = name.lastIndex(of: "/") else { return nil }
            return (String(name[..<slash]), String(name[name.index(after: slash)...]))
        }

        /// What it has of a replica; nil if objects that matter are in other parts.
        func listed(_ folder: ReplicaFolder) throws -> Listed? {
            guard !folder.path(of: "").precedes(start), has(folder.path(of: ObjectName.beforeChanges)) else {
                return nil
            }
            let hasBase = folders[folder.name]?.hasBase ?? false
            guard hasBase || has(folder.path(of: ObjectName.leases)) else { return nil }
            return Listed(newest: try folders[folder.name]?.newest.map(folder.newest), hasBase: hasBase)
        }

        /// Whether the first object after a name is in it.
        private func has(_ name: String) -> Bool { end.map { name.precedes($0) } ?? true }
    }

    private var pages: [String: [Page]] = [:]
    /// The request that is under way, by the location of the object store; false if it lists only folder by folder.
    private var running: [String: Task<Bool, any Error>] = [:]

    package init() {}

    /// What lists have of a replica.
    ///
    /// - Throws: What the object store throws; `replicaDamaged`.
    func listed(_ folder: ReplicaFolder) async throws -> Listed {
        let location = folder.objects.location
        let start = folder.path(of: "")
        while true {
            for page in pages[location, default: []].reversed() {
                if let listed = try page.listed(folder) { return listed }
                // It has more objects than a page.
                if page.start == start { return try await folder.listed() }
            }
            if let running = running[location] {
                // It may have what is asked for.
                _ = try? await running.value
                continue
            }
            let request = Task { try await addPage(of: folder.objects, after: start) }
            running[location] = request
            guard try await request.value else { return try await folder.listed() }
        }
    }

    private func addPage(of objects: any ObjectStore, after name: String) async throws -> Bool {
        defer { running[objects.location] = nil }
        guard let entries = try await objects.listAll(after: name, count: Self.pageLength) else { return false }
        let end = entries.count == Self.pageLength ? entries.last?.name : nil
        pages[objects.location, default: []].append(Page(start: name, end: end, entries))
        return true
    }

    private static let pageLength = 1_000
}

extension ReplicaFolder {
    /// What lists of this folder alone have.
    fileprivate func listed() async throws -> ReplicaLists.Listed {
        guard let newest = try await newestEntry() else { return ReplicaLists.Listed(newest: nil, hasBase: false) }
        return ReplicaLists.Listed(newest: newest, hasBase: try await listsBase(upTo: newest.number))
    }

    private func listsBase(upTo newest: UInt64) async throws -> Bool {
        for base in try await bases() where base.number <= newest {
            guard let last = try await listedParts(ofBase: base.folder)?.last else { continue }
            // Of a full part only its header says whether it is the last one.
            if last.size >= Shipper.objectLength, try await parts(ofBase: base.folder) == nil { continue }
            // Older bases need more changes.
            return try await changes(from: newest, downTo: base.number).last?.number == base.number
        }
        return false
    }
}

extension Replica {
    /// The newest change of a database's replica, if the database's file has not changed since; neither needs to be
    /// read then, and the database not to be opened.
    ///
    /// - Parameters:
    ///   - name: The database's name.
    ///   - stores: Its registry.
    ///   - lists: The lists that tell the newest change.
    /// - Returns: Nil if something may have changed.
    /// - Throws: What the object store throws.
    package func unchangedSince(
        _ name: DatabaseName, in stores: Stores, by lists: ReplicaLists
    ) async throws -> UInt64? {
        let folder = folder(of: name)
        func state() throws -> ShippedState? {
            guard let (stamp, path) = try stores.stampOfWholeFile(name, record: folder.recordName),
                let state = try ReplicaRecordFile(reading: path)?.shippedState(), state.stamp == stamp
            else { return nil }
            return state
        }
        guard let shipped = try state() else { return nil }
        let listed = try await lists.listed(folder)
        guard listed.newest == shipped.newest else { return nil }
        // Lists do not show whether a full part is the last one.
        let hasBase = if listed.hasBase { true } else { try await folder.listed().hasBase }
        guard hasBase, try state() == shipped else { return nil }
        return shipped.number
    }
}

extension String {
    /// Whether it is listed before another name: by bytes.
    fileprivate func precedes(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}
