public import Strongroom

/// Imports the packages of a control file into an inventory.
public struct InventoryImport: Sendable, Equatable {
    /// The number of new packages.
    public private(set) var inserted = 0
    /// The number of existing packages that were updated.
    public private(set) var updated = 0
    /// The number of packages that are not installed and were skipped.
    public private(set) var skipped = 0
    /// The number of packages that are no longer installed and were deleted.
    public private(set) var removed = 0
    /// The number of dependencies.
    public private(set) var dependencies = 0

    /// Updates an inventory to a control file: stores every installed package with its dependencies, and deletes
    /// packages that are no longer installed, in one transaction.
    ///
    /// - Parameters:
    ///   - file: The control file.
    ///   - db: A write transaction.
    ///   - progress: Called after each package.
    /// - Returns: The numbers of packages and dependencies.
    /// - Throws: `ControlFileError` if the file is incomplete, `StrongroomError` if a package cannot be stored; roll
    ///   back then.
    public static func run(
        _ file: ControlFile,
        in db: borrowing some Writing & ~Copyable,
        progress: () -> Void = {}
    ) throws -> InventoryImport {
        var result = InventoryImport()
        var keys: [Int64] = []
        try file.forEachParagraph { paragraph in
            if let key = try result.store(paragraph, in: db) { keys.append(key) }
            progress()
        }
        try Dependency.where { !$0.package.isIn(keys) }.delete(in: db)
        result.removed = try InstalledPackage.where { !$0.id.isIn(keys) }.delete(in: db)
        return result
    }

    private mutating func store(
        _ paragraph: PackageParagraph, in db: borrowing some Writing & ~Copyable
    ) throws -> Int64? {
        // An archive's list has no status: all its packages are included.
        guard paragraph.status?.hasSuffix(" installed") ?? true else {
            skipped += 1
            return nil
        }
        let upserted = try InstalledPackage.upsert(InstalledPackage(paragraph), .by(\.identifier), in: db)
        switch upserted.outcome {
        case .inserted: inserted += 1
        case .updated:
            updated += 1
            try Dependency.where { $0.package == upserted.key }.delete(in: db)
        case .deleted: break
        }
        try Dependency.insert(
            contentsOf: paragraph.dependencies.map { Dependency($0, of: upserted.key) }, in: db)
        dependencies += paragraph.dependencies.count
        return upserted.key
    }
}

extension InstalledPackage {
    /// Creates the package that a paragraph of a control file describes.
    ///
    /// - Parameter paragraph: The paragraph.
    public init(_ paragraph: PackageParagraph) {
        id = nil
        identifier = "\(paragraph.name):\(paragraph.architecture)"
        name = paragraph.name
        version = paragraph.version
        architecture = paragraph.architecture
        section = paragraph.section
        installedSize = paragraph.installedSize
        maintainer = paragraph.maintainer
        status = paragraph.status
        summary = paragraph.summary
        details = paragraph.description
    }
}

extension Dependency {
    /// Creates the dependency that an entry of a control file declares.
    ///
    /// - Parameters:
    ///   - dependency: The entry.
    ///   - package: The id of the package that declares it.
    public init(_ dependency: PackageDependency, of package: Int64) {
        id = nil
        self.package = package
        kind = dependency.kind.rawValue
        position = dependency.group
        alternative = dependency.alternative
        name = dependency.name
        architecture = dependency.architecture
        relation = dependency.relation?.rawValue
        version = dependency.version
    }
}
