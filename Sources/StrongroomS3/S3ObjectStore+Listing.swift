#if S3
internal import Strongroom
public import StrongroomReplication

extension S3ObjectStore {
    /// The largest number of entries that a service lists at a time.
    private static let greatestPage = 1000

    /// Lists the objects of a folder, without those of its subfolders, in the order of their names.
    ///
    /// ```swift
    /// let entries = try await objects.list("2026/07", after: nil, count: 100)
    /// ```
    ///
    /// - Parameters:
    ///   - folder: The folder's name, without a `/` at its end; empty for the uppermost.
    ///   - name: Only names after this one are listed; nil for all.
    ///   - count: The largest number of entries, above 0.
    /// - Returns: The entries; fewer than `count` only at the end of the list.
    /// - Throws: `StrongroomError` as ``read(_:_:)``; `CancellationError`.
    public func list(_ folder: String, after name: String?, count: Int) async throws -> [ObjectEntry] {
        let prefix = try client.location.prefix(ofFolder: folder)
        return try await list(prefix, after: name, count: count, delimiter: "/")
    }

    /// Lists the objects of all folders, in the order of their full names: what many replicas have, by one request for
    /// 1,000 objects.
    ///
    /// ```swift
    /// let entries = try await objects.listAll(after: "2026", count: 1_000)
    /// ```
    ///
    /// - Parameters:
    ///   - name: Only names after this one are listed.
    ///   - count: The largest number of entries, above 0.
    /// - Returns: The entries, with their full names; fewer than `count` only at the end of the list.
    /// - Throws: `StrongroomError` as ``read(_:_:)``; `CancellationError`.
    public func listAll(after name: String, count: Int) async throws -> [ObjectEntry]? {
        try await list(client.location.prefix(ofFolder: ""), after: name, count: count, delimiter: nil)
    }

    private func list(
        _ prefix: String, after name: String?, count: Int, delimiter: String?
    ) async throws -> [ObjectEntry] {
        var entries: [ObjectEntry] = []
        var page: String?
        var progress = Progress()
        repeat {
            let limit = min(count - entries.count, Self.greatestPage)
            let start = name.map { prefix + $0 }
            let list = try await self.page(prefix, after: start, limit: limit, token: page, delimiter: delimiter)
            guard progress.isMade(by: list) else { throw malformed("pages that lead nowhere") }
            for object in list.objects {
                guard let part = part(of: object.key, after: prefix) else { throw malformed("a list of other names") }
                // Some tools create an object for the folder itself.
                if part.isEmpty { continue }
                if let last = entries.last?.name ?? name, !last.utf8.lexicographicallyPrecedes(part.utf8) {
                    throw malformed("a list that is not in the order of its names")
                }
                entries.append(ObjectEntry(name: part, size: object.size))
            }
            page = list.nextPage
        } while page != nil && entries.count < count
        return entries.count > count ? Array(entries.prefix(count)) : entries
    }

    /// Lists the subfolders of a folder that have objects in them, in the order of their names.
    ///
    /// ```swift
    /// let years = try await objects.folders(in: "")
    /// ```
    ///
    /// - Parameter folder: The folder's name, without a `/` at its end; empty for the uppermost.
    /// - Returns: Their names, without the folder's own.
    /// - Throws: `StrongroomError` as ``read(_:_:)``; `CancellationError`.
    public func folders(in folder: String) async throws -> [String] {
        let prefix = try client.location.prefix(ofFolder: folder)
        var folders: [String] = []
        var page: String?
        var progress = Progress()
        repeat {
            let list = try await self.page(prefix, after: nil, limit: Self.greatestPage, token: page, delimiter: "/")
            guard progress.isMade(by: list) else { throw malformed("pages that lead nowhere") }
            for name in list.prefixes {
                guard let part = part(of: name, after: prefix), part.utf8.last == UInt8(ascii: "/") else {
                    throw malformed("a list of other names")
                }
                folders.append(String(part.dropLast()))
            }
            page = list.nextPage
        } while page != nil
        return folders
    }

    /// Whether the pages of a list lead on: a service may invent tokens for ever.
    private struct Progress {
        private var object = ""
        private var folder = ""
        /// The number of pages without a name, one after another.
        private var empty = 0
        /// Some services skip what was removed, page by page.
        private static let mostEmpty = 10

        mutating func isMade(by page: S3List) -> Bool {
            guard !page.objects.isEmpty || !page.prefixes.isEmpty else {
                empty += 1
                return empty <= Self.mostEmpty
            }
            empty = 0
            // Both, whichever order the service has for the two kinds.
            let hasObject = Self.advance(&object, to: page.objects.last?.key)
            let hasFolder = Self.advance(&folder, to: page.prefixes.last)
            return hasObject || hasFolder
        }

        private static func advance(_ last: inout String, to name: String?) -> Bool {
            guard let name, last.utf8.lexicographicallyPrecedes(name.utf8) else { return false }
            last = name
            return true
        }
    }

    /// A page of the objects of a folder, and of its subfolders: as such with a delimiter, otherwise their objects.
    private func page(
        _ prefix: String, after start: String?, limit: Int, token: String?, delimiter: String?
    ) async throws -> S3List {
        var request = S3Request(.get)
        request.query = [
            ("list-type", "2"), ("encoding-type", "url"), ("max-keys", String(limit)), ("prefix", prefix),
        ]
        if let delimiter { request.query.append(("delimiter", delimiter)) }
        if let token {
            request.query.append(("continuation-token", token))
        } else if let start {
            request.query.append(("start-after", start))
        }
        let response = try await client.send(request)
        guard response.status == 200 else { throw client.refusal(response) }
        guard let list = S3List(response.body), list.nextPage == nil || list.nextPage != token else {
            throw malformed("a list that is not well-formed")
        }
        return list
    }

    /// What follows a prefix in a key; nil if the key begins otherwise. By bytes, as services compare.
    private func part(of key: String, after prefix: String) -> String? {
        guard key.utf8.starts(with: prefix.utf8) else { return nil }
        return String(decoding: key.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
    }

    private func malformed(_ what: String) -> StrongroomError {
        StrongroomError(
            .objectStore,
            "\(client.location) answers with \(what); check that the endpoint is an S3 service with ListObjectsV2.")
    }
}
#endif
