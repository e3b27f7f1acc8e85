public import Strongroom

/// A relationship of a package to another: a dependency, a conflict, a replacement.
public struct Dependency: Table, Record, Equatable {
    /// The row's id; nil before the dependency is stored.
    public var id: Int64?
    /// The id of the package that declares it.
    public var package: Int64
    /// The field that contains it, such as `Depends`.
    public var kind: String
    /// Its index in the field; alternatives have the same index.
    public var position: Int
    /// Its index among the alternatives.
    public var alternative: Int
    /// The name of the other package.
    public var name: String
    /// The suffix of the name, such as the `any` of `python3:any`.
    public var architecture: String?
    /// How the version is compared, such as `>=`.
    public var relation: String?
    /// The version it is compared with.
    public var version: String?

    /// The typed columns.
    public struct Columns: Sendable {
        public let id = Column<Int64?>("id", primaryKey: true)
        public let package = Column<Int64>("package_id")
        public let kind = Column<String>("kind")
        public let position = Column<Int>("place")
        public let alternative = Column<Int>("alternative")
        public let name = Column<String>("name")
        public let architecture = Column<String?>("architecture")
        public let relation = Column<String?>("relation")
        public let version = Column<String?>("version")
    }

    public static let columns = Columns()

    public static let schema = TableSchema(
        "dependency",
        columns.id, columns.package, columns.kind, columns.position, columns.alternative, columns.name,
        columns.architecture, columns.relation, columns.version,
        indexes: [TableIndex(on: columns.package), TableIndex(on: columns.name)]
    )

    public static func key(of dependency: Dependency) -> Int64? { dependency.id }

    public static func setKey(_ key: Int64, of dependency: inout Dependency) { dependency.id = key }

    public init(row: borrowing Row) throws {
        id = try row[0]
        package = try row[1]
        kind = try row[2]
        position = try row[3]
        alternative = try row[4]
        name = try row[5]
        architecture = try row[6]
        relation = try row[7]
        version = try row[8]
    }

    public func encode(to bindings: borrowing Bindings) throws {
        try bindings.set(id, at: 0)
        try bindings.set(package, at: 1)
        try bindings.set(kind, at: 2)
        try bindings.set(position, at: 3)
        try bindings.set(alternative, at: 4)
        try bindings.set(name, at: 5)
        try bindings.set(architecture, at: 6)
        try bindings.set(relation, at: 7)
        try bindings.set(version, at: 8)
    }
}
