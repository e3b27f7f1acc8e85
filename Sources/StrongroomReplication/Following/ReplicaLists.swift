package import Strongroom

/// The newest changes of many replicas, from lists that they share: one list has those of all replicas with names that
/// follow each other, up to 1,000 objects.
///
/// What it has is as old as itself; it serves to find files that have not changed, and is not kept.
package actor ReplicaLists {
    /// A part of the list of all objects of an object store.
    private struct Page {
        /// Names after this one are in it.
        let start: String
        /// The last name that is in it; nil at the end of the list.
        let end: String?
        /// The first change of each folder.
        var newest: [String: ObjectEntry] = [:]

        /// Whether it tells the newest change of a folder, of which a name precedes all.
        func tells(_ name: String) -> Bool {
            !name.precedes(start) && (end.map { name.precedes($0) } ?? true)
        }
    }

    private var pages: [String: [Page]] = [:]
    /// The request that is under way, by the place of the object store; false if it lists only folder by folder.
    private var running: [String: Task<Bool, any Error>] = [:]

    package init() {}

    /// The newest change of a replica; nil if there is none.
    ///
    /// - Throws: What the object store throws; `replicaDamaged`.
    func newest(of folder: ReplicaFolder) async throws -> NewestChange? {
        let place = folder.objects.place
        let name = folder.path(of: ObjectName.beforeChanges)
        while true {
            if let page = pages[place]?.last(where: { $0.tells(name) }) {
                return try page.newest[folder.name].map(folder.newest)
            }
            if let running = running[place] {
                // It may have what is asked for.
                _ = try? await running.value
                continue
            }
            let request = Task { try await addPage(of: folder.objects, after: name) }
            running[place] = request
            guard try await request.value else { return try await folder.newestEntry() }
        }
    }

    private func addPage(of objects: any ObjectStore, after name: String) async throws -> Bool {
        defer { running[objects.place] = nil }
        guard let page = try await Self.page(of: objects, after: name) else { return false }
        pages[objects.place, default: []].append(page)
        return true
    }

    private static func page(of objects: any ObjectStore, after name: String) async throws -> Page? {
        guard let entries = try await objects.listAll(after: name, count: pageLength) else { return nil }
        var page = Page(start: name, end: entries.count == pageLength ? entries.last?.name : nil)
        for entry in entries {
            guard let slash = entry.name.lastIndex(of: "/") else { continue }
            let (folder, name) = (String(entry.name[..<slash]), String(entry.name[entry.name.index(after: slash)...]))
            guard ObjectName.beforeChanges.precedes(name), page.newest[folder] == nil else { continue }
            page.newest[folder] = ObjectEntry(name: name, size: entry.size)
        }
        return page
    }

    private static let pageLength = 1_000
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
        guard let shipped = try state(), try await lists.newest(of: folder) == shipped.newest, try state() == shipped
        else { return nil }
        return shipped.number
    }
}

extension String {
    /// Whether it is listed before another name: by bytes.
    fileprivate func precedes(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}
