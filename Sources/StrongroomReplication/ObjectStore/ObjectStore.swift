internal import Strongroom

/// Where the objects of replicas are stored: a directory, a bucket.
///
/// An object is created once and never changed. A name has parts separated by `/`; the last one is listed in the order
/// of its bytes.
public protocol ObjectStore: Sendable {
    /// What distinguishes this object store from others: the same for the same location, in each process and after a
    /// restart.
    var location: String { get }

    /// Makes the folder of a replica, where an object store needs that; one that exists is no failure.
    ///
    /// Called before the first object of a new replica, and never for one that has objects: a directory whose file
    /// system is not mounted must not look like an empty object store.
    ///
    /// - Parameter name: The folder's name, without a `/` at its end.
    /// - Throws: `StrongroomError` as ``create(_:_:)``.
    func createFolder(_ name: String) async throws

    /// Throws unless a name that is taken stays taken, without which two hosts would destroy each other's replica.
    /// Called once before a database's first change.
    ///
    /// An object store has it already: it creates an object with a random name twice, and removes it.
    ///
    /// - Throws: `StrongroomError` with `objectStore` if the second object replaces the first, and as
    ///   ``create(_:_:)``.
    func probe() async throws

    /// Creates an object, completely or not at all; when it returns, the object survives a failure of the power.
    ///
    /// - Parameters:
    ///   - name: The object's name.
    ///   - content: Its content.
    /// - Returns: Whether it was created: false if the name is taken. Of several callers that create the same name at
    ///   the same time, exactly one receives true.
    /// - Throws: `StrongroomError` with `outcomeUnknown` if it is not known whether the object was created, which a
    ///   later read tells; `objectStoreUnreachable`, `objectStore`, `permissionDenied`, `diskFull`.
    func create(_ name: String, _ content: [UInt8]) async throws -> Bool

    /// Reads an object or a part of it.
    ///
    /// - Parameters:
    ///   - name: The object's name.
    ///   - range: The bytes to read; a range that ends past the object is cut. Nil for all.
    /// - Returns: The bytes; nil if there is no such object.
    /// - Throws: `StrongroomError` with `objectStoreUnreachable`, `objectStore`, `permissionDenied`.
    func read(_ name: String, _ range: Range<Int>?) async throws -> [UInt8]?

    /// Lists the objects of a folder, without those of its subfolders, in the order of their names.
    ///
    /// - Parameters:
    ///   - folder: The folder's name, without a `/` at its end.
    ///   - name: Only names after this one are listed; nil for all.
    ///   - count: The largest number of entries, above 0.
    /// - Returns: The entries; fewer than `count` only at the end of the list.
    /// - Throws: `StrongroomError` with `objectStoreUnreachable`, `objectStore`, `permissionDenied`.
    func list(_ folder: String, after name: String?, count: Int) async throws -> [ObjectEntry]

    /// Lists the objects of all folders, in the order of their full names: what many replicas have, by one request.
    ///
    /// - Parameters:
    ///   - name: Only names after this one are listed.
    ///   - count: The largest number of entries, above 0.
    /// - Returns: The entries, with their full names; fewer than `count` only at the end of the list. Nil if the
    ///   object store lists only folder by folder, as it does unless it has this method.
    /// - Throws: `StrongroomError` as ``list(_:after:count:)``.
    func listAll(after name: String, count: Int) async throws -> [ObjectEntry]?

    /// Lists the subfolders of a folder that have objects in them, in the order of their names.
    ///
    /// - Parameter folder: The folder's name, without a `/` at its end; empty for the uppermost.
    /// - Returns: Their names, without the folder's own.
    /// - Throws: `StrongroomError` with `objectStoreUnreachable`, `objectStore`, `permissionDenied`.
    func folders(in folder: String) async throws -> [String]

    /// Removes objects, in the order given; one that does not exist is no failure.
    ///
    /// - Parameter names: The objects' names.
    /// - Throws: `StrongroomError` as ``read(_:_:)``; some of the objects may have been removed then.
    func remove(_ names: [String]) async throws

    /// Removes what creations have left in a folder and its subfolders that were interrupted an hour ago or earlier.
    ///
    /// - Parameter folder: The folder's name, without a `/` at its end.
    /// - Throws: `StrongroomError` as ``read(_:_:)``.
    func removeUnfinished(in folder: String) async throws
}

extension ObjectStore {
    /// Nothing: an object store needs no folders, unless it has this method.
    public func createFolder(_ name: String) async throws {}

    /// Creates an object with a random name twice, and removes it.
    public func probe() async throws {
        let name = "strongroom-probe-\(String(UInt64.random(in: .min ... .max), radix: 16))"
        let content = Array(name.utf8)
        let isCreated = try await create(name, content)
        let isReplaced: Bool
        do {
            let isCreatedAgain = try await create(name, content.reversed())
            isReplaced = try await read(name, nil) != content || isCreatedAgain
        } catch {
            // The first failure is the one to report.
            try? await remove([name])
            throw error
        }
        try await remove([name])
        guard !isCreated || isReplaced else { return }
        throw StrongroomError(
            .objectStore,
            """
            The object store (\(location)) replaces an object that is created a second time: the service, or a proxy \
            before it, ignores "If-None-Match: *". Nothing is shipped there, since two hosts would destroy the \
            replica. Use a service with conditional writes; with Ceph, a bucket without versioning.
            """)
    }

    /// Nil: the object store lists only folder by folder.
    public func listAll(after name: String, count: Int) async throws -> [ObjectEntry]? { nil }

    /// Nothing: an interrupted creation leaves nothing.
    public func removeUnfinished(in folder: String) async throws {}
}

/// An object in a list.
public struct ObjectEntry: Sendable, Hashable {
    /// Its name, without the folder.
    public let name: String
    /// Its length in bytes.
    public let size: Int

    /// - Parameters:
    ///   - name: Its name, without the folder.
    ///   - size: Its length in bytes.
    public init(name: String, size: Int) {
        self.name = name
        self.size = size
    }
}
