public import Strongroom

/// Where a database has its replica, and how the replica follows the database.
///
/// A configuration lists it among its extensions. While a store of the database is open, each commit is shipped to the
/// object store, whichever process wrote it.
///
/// ```swift
/// @Configuration("clinic")
/// struct Clinics {
///     func keyChain(for database: DatabaseName) throws -> KeyChain { try KeyFile("/etc/clinics/keys").keyChain() }
///     func extensions(for database: DatabaseName) throws -> [any StoreExtension] {
///         [Replica(in: DirectoryObjectStore("/srv/replicas"))]
///     }
/// }
/// ```
public struct Replica: StoreExtension {
    /// The object store.
    public let objects: any ObjectStore
    /// The folder of the replica in the object store; nil for the database's file name.
    public var folder: String?
    /// How long after a commit its shipping begins, at most.
    public var interval: Duration
    /// How long closing a store waits for the last commits to be shipped.
    public var closingTimeout: Duration
    /// The length of the WAL, in bytes, from which the replica ceases to hold it while the object store cannot be
    /// reached, and is compared with the file afterwards.
    public var logLimit: Int
    /// Whether the store may take over a replica that another host, or another file, has written last. The replica then
    /// goes on with the content of this database.
    public var takesOver: Bool

    /// The lease without which no store of the database is opened; nil if the databases of two hosts never have the
    /// same replica.
    public var lease: Lease?

    /// The length of the changes, in bytes, from which a new base is written, if they are as long as the database.
    package var leastChanges = 64 << 20
    /// Whether the replica is read also where the file has not changed since the newest change.
    package var isAlwaysRead = false

    /// Describes a replica.
    ///
    /// - Parameters:
    ///   - objects: The object store.
    ///   - folder: The folder of the replica in the object store, in which nothing else is stored; nil for the
    ///     database's file name. An object store that must not know the name gets another one.
    ///   - interval: How long after a commit its shipping begins, at most; above 0.
    ///   - closingTimeout: How long closing a store waits for the last commits to be shipped. What is not shipped then
    ///     is shipped after the next opening.
    ///   - logLimit: The length of the WAL, in bytes, from which the replica ceases to hold it while the object store
    ///     cannot be reached.
    ///   - takesOver: Whether the store may take over a replica that another host, or another file, has written last.
    ///   - lease: The lease without which no store of the database is opened.
    public init(
        in objects: any ObjectStore, folder: String? = nil, interval: Duration = .milliseconds(500),
        closingTimeout: Duration = .seconds(10), logLimit: Int = 64 << 20, takesOver: Bool = false, lease: Lease? = nil
    ) {
        self.objects = objects
        self.folder = folder
        self.interval = interval
        self.closingTimeout = closingTimeout
        self.logLimit = logLimit
        self.takesOver = takesOver
        self.lease = lease
    }

    /// The folder of a database's replica.
    func folder(of name: DatabaseName) -> ReplicaFolder {
        ReplicaFolder(objects: objects, name: folder ?? name.fileName)
    }

    /// The leases of a database's replica; nil if it has none.
    func leases(of name: DatabaseName) -> Leases? { lease.map { Leases(folder: folder(of: name), lease: $0) } }
}
