public import Strongroom

/// Brings the packages of a control file into an inventory.
public struct InventoryImport: Sendable, Equatable {
    /// The packages that are new.
    public private(set) var inserted = 0
    /// The packages that were there and have been brought up to date.
    public private(set) var updated = 0
    /// The packages that are not installed and so were left out.
    public private(set) var skipped = 0
    /// The packages that were there, are not installed any more, and so were deleted.
    public private(set) var removed = 0
    /// The dependencies of the packages.
    public private(set) var dependencies = 0

    /// Makes an inventory tell what a control file tells: stores every installed package with its dependencies, and
    /// deletes those that are gone, in one transaction.
    ///
    /// - Parameters:
    ///   - file: The control file.
    ///   - db: A write transaction.
    ///   - progress: Called after each package.
    /// - Returns: How many packages were new and how many were there.
    /// - Throws: `ControlFileError` when the file is not whole, `StrongroomError` when a package cannot be stored; roll
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
        // An archive's list has no status: all its packages count.
        guard paragraph.status?.hasSuffix(" installed") ?? true else {
            skipped += 1
            return nil
        }
        let upserted = try InstalledPackage.upsert(InstalledPackage(paragraph), by: \.identifier, in: db)
        switch upserted.outcome {
        case .inserted: inserted += 1
        case .updated:
            updated += 1
            try Dependency.where { $0.package == upserted.key }.delete(in: db)
        }
        try Dependency.insert(
            contentsOf: paragraph.dependencies.map { Dependency($0, of: upserted.key) }, in: db)
        dependencies += paragraph.dependencies.count
        return upserted.key
    }
}

extension InstalledPackage {
    /// The package that a paragraph of a control file describes.
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
    /// What a paragraph of a control file says of another package.
    ///
    /// - Parameters:
    ///   - dependency: The entry.
    ///   - package: The id of the package that says it.
    public init(_ dependency: PackageDependency, of package: Int64) {
        id = nil
        self.package = package
        kind = dependency.kind.rawValue
        place = dependency.group
        alternative = dependency.alternative
        name = dependency.name
        architecture = dependency.architecture
        relation = dependency.relation?.rawValue
        version = dependency.version
    }
}
