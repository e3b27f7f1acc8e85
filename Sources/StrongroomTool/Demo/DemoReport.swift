import Configurations

/// What the demo found out, as `--json` prints it.
struct DemoReport: Encodable, Sendable {
    /// A step and how long it took.
    struct Step: Encodable, Sendable {
        let name: String
        let milliseconds: Double
    }

    /// A package in a table.
    struct Package: Encodable, Sendable {
        let name: String
        let version: String
        let installedKiB: Int64?
        let summary: String?

        init(_ package: InstalledPackage) {
            name = package.name
            version = package.version
            installedKiB = package.installedSize
            summary = package.summary
        }
    }

    /// What one pass over the control file did.
    struct Import: Encodable, Sendable {
        let inserted: Int
        let updated: Int
        let skipped: Int
        let removed: Int
        let dependencies: Int

        init(_ result: InventoryImport) {
            inserted = result.inserted
            updated = result.updated
            skipped = result.skipped
            removed = result.removed
            dependencies = result.dependencies
        }
    }

    /// How the tool was compiled: `debug` or `release`. A debug build is slower by a factor.
    #if DEBUG
    let build = "debug"
    #else
    let build = "release"
    #endif
    var engine = ""
    var sqlite = ""
    var path = ""
    var keyFile = ""
    var created = false
    var input = ""
    var imports: [Import] = []
    var packages = 0
    var dependencies = 0
    var readsBesideWriter = 0
    var found: [Package] = []
    var foundCount = 0
    var biggest: [Package] = []
    var fileBytes = 0
    var phrasesTried = 0
    var plaintextFound: [String] = []
    var steps: [Step] = []
}
