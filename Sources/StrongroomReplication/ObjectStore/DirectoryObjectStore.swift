import Strongroom

/// Objects as files in a directory, which may be one that rclone, restic, rsync or a file server carries on.
///
/// ```swift
/// let objects = DirectoryObjectStore("/srv/replicas")
/// ```
///
/// The directory itself may be a link. Links in it are not followed: nothing outside of it is read, written or removed.
public struct DirectoryObjectStore: ObjectStore {
    /// The directory's path.
    public let path: String

    /// - Parameter path: The directory's path; it is created with the first replica.
    public init(_ path: String) {
        self.path = path
    }

    public var location: String { "directory \(path)" }

    public func createFolder(_ name: String) async throws {
        let parts = try parts(of: name)
        try await Self.blocking {
            var directory = try Self.created(path)
            for part in parts { directory = try directory.created(part) }
        }
    }

    public func create(_ name: String, _ content: [UInt8]) async throws -> Bool {
        let parts = try parts(of: name)
        return try await Self.blocking {
            var directory = try ObjectDirectory(path)
            // The uppermost folder is created by `createFolder`, so that the bare mount point of a file system that is
            // away gets no objects.
            for (depth, part) in parts.dropLast().enumerated() {
                directory = depth == 0 ? try directory?.directory(part) : try directory?.created(part)
            }
            guard let directory, let last = parts.last else { throw ObjectFile.missing(path, parts.first ?? "") }
            return try directory.create(last, content)
        }
    }

    public func read(_ name: String, _ range: Range<Int>?) async throws -> [UInt8]? {
        let parts = try parts(of: name)
        return try await Self.blocking { try directory(parts.dropLast())?.read(parts.last ?? "", range) }
    }

    public func list(_ folder: String, after name: String?, count: Int) async throws -> [ObjectEntry] {
        let parts = try parts(of: folder)
        return try await Self.blocking {
            guard let directory = try directory(parts) else { return [] }
            var names = try directory.names().filter { entry in name.map { entry > $0 } ?? true }
            // Not sorted for the first ones alone, which are asked for after each change.
            let isSorted = count > Self.few
            if isSorted { names.sort(by: >) }
            var entries: [ObjectEntry] = []
            while entries.count < count, let name = isSorted ? names.last : names.min() {
                if isSorted { names.removeLast() } else { names.removeAll { $0 == name } }
                if let size = directory.size(name) { entries.append(ObjectEntry(name: name, size: size)) }
            }
            return entries
        }
    }

    private static let few = 2

    public func folders(in folder: String) async throws -> [String] {
        let parts = try parts(of: folder)
        return try await Self.blocking {
            guard let directory = try directory(parts) else { return [] }
            return try directory.names().sorted().filter { name in
                guard directory.isDirectory(name) else { return false }
                return try directory.directory(name)?.names().isEmpty == false
            }
        }
    }

    public func remove(_ names: [String]) async throws {
        let names = try names.map(parts(of:))
        try await Self.blocking {
            for parts in names {
                guard let last = parts.last, let directory = try directory(parts.dropLast()) else { continue }
                try directory.remove(last)
                // The folder of a base, once it is empty; never the uppermost.
                if parts.count > 2 { try self.directory(parts.dropLast(2))?.removeIfEmpty(parts[parts.count - 2]) }
            }
        }
    }

    public func removeUnfinished(in folder: String) async throws {
        let parts = try parts(of: folder)
        try await Self.blocking { try directory(parts)?.removeUnfinished() }
    }

    /// Nothing: a hard link, by which objects are created, never replaces a file, and a file system without them is
    /// found by the first creation.
    public func probe() async throws {}

    /// The directory at a path, which is created if there is none.
    private static func created(_ path: String) throws -> ObjectDirectory {
        if let directory = try ObjectDirectory(path) { return directory }
        let (parent, name) = (try created(FileSystem.directory(of: path)), FileSystem.name(of: path))
        return name.isEmpty ? parent : try parent.created(name)
    }

    /// The directory of a folder; nil if there is none.
    private func directory(_ parts: some Sequence<String>) throws -> ObjectDirectory? {
        var directory = try ObjectDirectory(path)
        for part in parts { directory = try directory?.directory(part) }
        return directory
    }

    /// The parts of a name.
    ///
    /// - Throws: `StrongroomError` with `invalidName` for a name that would leave the directory.
    private func parts(of name: String) throws -> [String] {
        guard !name.isEmpty else { return [] }
        let parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.allSatisfy({ !["", ".", ".."].contains($0) && !$0.utf8.contains(0) }) else {
            throw StrongroomError(
                .invalidName, "\"\(name)\" is no name of an object or a folder. Give the replica another folder.")
        }
        return parts
    }

    private static func blocking<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try Task.checkCancellation()
        return try await BlockingWork.run {
            do { return try body() } catch let error as StrongroomError { throw error.ofObjectStore }
        }
    }
}

/// The files of a directory of objects.
enum ObjectFile {
    /// The error for a link, or another file, with the name of an object or of a folder.
    static func notOwn(_ path: String, _ what: String) -> StrongroomError {
        StrongroomError(
            .replicaDamaged,
            """
            "\(path)" is no \(what) of a replica, but perhaps a link, which is not \
            followed. Find out who created it, and remove it.
            """)
    }

    /// The error for a folder that should be there.
    static func missing(_ path: String, _ folder: String) -> StrongroomError {
        StrongroomError(
            .objectStoreUnreachable,
            """
            The object store "\(path)" has no folder "\(folder)". Check whether its file system is mounted; when it is \
            back, the replica continues.
            """)
    }
}

extension StrongroomError {
    /// The error for a file of the object store that the operating system has refused.
    fileprivate var ofObjectStore: StrongroomError {
        switch code {
        case .inputOutput, .fileMissing, .notAFile, .invalidName:
            StrongroomError(.objectStore, "\(message) The object store needs it; the database itself stays available.")
        default: self
        }
    }
}
