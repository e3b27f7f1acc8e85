public import Strongroom

/// A software package, as described by Debian's package manager.
public struct InstalledPackage: Table, Record, Equatable {
    /// The row's id; nil before the package is stored.
    public var id: Int64?
    /// Name and architecture, such as `bash:amd64`, which identify a package on a machine.
    public var identifier: String
    /// The name.
    public var name: String
    /// The version.
    public var version: String
    /// The architecture, such as `amd64` or `all`.
    public var architecture: String
    /// The section of the archive, such as `admin`.
    public var section: String?
    /// The size of its files in KiB.
    public var installedSize: Int64?
    /// The maintainer.
    public var maintainer: String?
    /// The status in the package manager, such as `install ok installed`; nil in an archive's list.
    public var status: String?
    /// The summary in one line.
    public var summary: String?
    /// The description in several lines.
    public var details: String?

    /// The typed columns.
    public struct Columns: Sendable {
        public let id = Column<Int64?>("id", primaryKey: true)
        public let identifier = Column<String>("identifier", unique: true)
        public let name = Column<String>("name")
        public let version = Column<String>("version")
        public let architecture = Column<String>("architecture")
        public let section = Column<String?>("section")
        public let installedSize = Column<Int64?>("installed_size")
        public let maintainer = Column<String?>("maintainer")
        public let status = Column<String?>("status")
        public let summary = Column<String?>("summary")
        public let details = Column<String?>("details")
    }

    public static let columns = Columns()

    public static let schema = TableSchema(
        "package",
        columns.id, columns.identifier, columns.name, columns.version, columns.architecture, columns.section,
        columns.installedSize, columns.maintainer, columns.status, columns.summary, columns.details,
        indexes: [TableIndex(on: columns.name), TableIndex(on: columns.installedSize)],
        fullText: [FullTextIndex(on: "name", "summary", "details", weights: [4, 2, 1])]
    )

    public static func key(of package: InstalledPackage) -> Int64? { package.id }

    public static func setKey(_ key: Int64, of package: inout InstalledPackage) { package.id = key }

    public init(row: borrowing Row) throws {
        id = try row[0]
        identifier = try row[1]
        name = try row[2]
        version = try row[3]
        architecture = try row[4]
        section = try row[5]
        installedSize = try row[6]
        maintainer = try row[7]
        status = try row[8]
        summary = try row[9]
        details = try row[10]
    }

    public func encode(to bindings: borrowing Bindings) throws {
        try bindings.set(id, at: 0)
        try bindings.set(identifier, at: 1)
        try bindings.set(name, at: 2)
        try bindings.set(version, at: 3)
        try bindings.set(architecture, at: 4)
        try bindings.set(section, at: 5)
        try bindings.set(installedSize, at: 6)
        try bindings.set(maintainer, at: 7)
        try bindings.set(status, at: 8)
        try bindings.set(summary, at: 9)
        try bindings.set(details, at: 10)
    }
}
