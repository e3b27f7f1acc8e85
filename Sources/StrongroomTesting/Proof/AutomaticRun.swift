import Strongroom

/// A running proof of an automatic migrator: its files and its results.
final class AutomaticRun: ProofResults {
    /// A migrator that files are opened with.
    struct Target: Sendable {
        let version: String
        let migrator: Migrator
        var tables: [TableSchema] { migrator.tables ?? [] }
    }

    /// A closed file with the data planted at its version.
    struct Origin: Sendable {
        /// The version of the release.
        let version: String
        /// The title for messages.
        let title: String
        let file: ProofFile
        let key: Key
        let snapshot: Snapshot
    }

    /// Today's tables.
    let today: Target
    /// The schema of a new file.
    var schema = SchemaDescription()
    var origins: [Origin] = []
    /// A new file with the data planted at today's version; nil if it could not be created.
    var newest: Origin?
    /// The files that have what a new file does not have, by its title.
    private var kept: [String: [String]] = [:]
    /// The indices of the removed columns that a file has lost.
    private var seenRemovals: Set<Int> = []

    init(_ proof: MigrationProof, _ subject: ProofSubject, _ migrator: Migrator) {
        // Without the progress callback of the configuration.
        let plain = Migrator.automatic(tables: migrator.tables ?? [], removingColumns: migrator.removesColumns)
        today = Target(version: Migrator.automaticVersion, migrator: plain)
        super.init(proof, subject)
    }

    /// Tests everything that can be tested; a release whose file cannot be created is left out.
    func all() async throws {
        let fixtures = try fixtures()
        checkReleases()
        for planting in proof.plantings { check(planting, fixtures) }
        guard try await proveFreshFile() else { return }
        for release in releases { try await make(release) }
        for fixture in fixtures { try await open(fixture) }
        if proof.releases.isEmpty && fixtures.isEmpty {
            report.leftOut.append(
                "earlier releases: declare them with `release(_:tables:)`, or keep a file of each among the fixtures")
        }
        for origin in origins {
            guard try await proveWays(from: origin) else { continue }
            if proof.interrupts { try await proveInterruptions(of: origin) }
            try await proveRotation(of: origin)
            try await proveBacks(of: origin)
        }
        if subject.configuration.settings(for: subject.name).rotation == .never {
            report.leftOut.append("rotation during migrations: the configuration's settings never rotate files")
        }
        try await proveStatements()
        reportRemovals()
        report.kept = kept.sorted { $0.key < $1.key }.map { "\($0.key), in \($0.value.joined(separator: ", "))" }
        reportUnprovedRecords(of: today.tables)
    }

    /// Prepares the statements of the program's work in files of the declared releases, which have an order.
    private func proveStatements() async throws {
        guard let newest, !proof.checkedWork.isEmpty else { return }
        let versions = releases.map(\.version)
        let files = versions.flatMap { version in origins.filter { $0.version == version } } + [newest]
        try await proveStatements(
            in: files.map { VersionFile(version: $0.version, file: $0.file, key: $0.key) })
        for origin in origins where !versions.contains(origin.version) {
            report.leftOut.append("statements at \(origin.title): declare its release with `release(_:tables:)`")
        }
    }

    /// The declared releases, without those that are faults.
    var releases: [Release] {
        var seen: Set<String> = [today.version, ""]
        return proof.releases.filter { seen.insert($0.version).inserted }
    }

    /// The releases after one through which a file can go on its way.
    func targets(after version: String) -> [Target] {
        guard let index = releases.firstIndex(where: { $0.version == version }) else { return [] }
        return releases[(index + 1)...].compactMap { release in
            release.migrator.map { Target(version: release.version, migrator: $0) }
        }
    }

    // MARK: Declarations

    private func checkReleases() {
        var seen: Set<String> = [today.version, ""]
        for release in proof.releases where !seen.insert(release.version).inserted {
            report.add(
                """
                the release "\(release.version)" (\(release.location)) has no name of its own: use one that is not \
                empty, not "\(today.version)", and not that of another release
                """, on: nil)
        }
    }

    /// Adds a fault for data of an unknown version, or with an `oldest` version whose program cannot be run.
    private func check(_ planting: Planting, _ fixtures: [Fixture]) {
        let versions = proof.releases.map(\.version) + fixtures.map(\.version) + [today.version]
        if !versions.contains(planting.version) {
            report.add(
                """
                data is planted at "\(planting.version)" (\(planting.location)), which is neither a declared release \
                nor one of a fixture file
                """, on: nil)
        }
        guard let oldest = planting.oldest,
            !proof.releases.contains(where: { $0.version == oldest && $0.migrator != nil })
        else { return }
        report.add(
            """
            what is planted at "\(planting.version)" (\(planting.location)) must be correct back to "\(oldest)", which \
            is no release that is declared with its tables
            """,
            on: nil)
    }

    // MARK: Results

    /// Reports lost rows and values, except for the columns that the test expects to be removed.
    func report(_ losses: [TableContent.Loss], from version: String, to other: String, on way: String) {
        for loss in losses {
            if let index = proof.removals.firstIndex(where: { $0.isOf(loss) }) {
                seenRemovals.insert(index)
                continue
            }
            let advice =
                loss.isRemoval
                ? loss.column.map { column in
                    "; if it is intended, declare it with `removingColumn(\"\(column)\", from: \"\(loss.table)\")`"
                } : nil
            report.add(
                "data of \"\(version)\" is lost in the migration to \"\(other)\": \(loss.text)\(advice ?? "")", on: way)
        }
    }

    private func reportRemovals() {
        for (index, removal) in proof.removals.enumerated() where !seenRemovals.contains(index) {
            report.add(
                """
                column "\(removal.table).\(removal.column)" is declared as removed (\(removal.location)), and no file \
                lost it
                """, on: nil)
        }
    }

    /// Compares the schema of a migrated file with that of a new one.
    func compare(_ found: SchemaDescription, of origin: Origin, on way: String) {
        let (here, there) = ("a migrated file", "a new file")
        for difference in found.restricted(to: schema).differences(from: schema, here: here, there: there) {
            report.add("after the migration to today's tables, \(difference)", on: way)
        }
        for title in found.additions(to: schema) {
            if today.migrator.removesColumns, title.hasPrefix("column ") {
                report.add("after the migration to today's tables, \(title) is in \(here) and not in \(there)", on: way)
            } else if kept[title]?.contains(origin.title) != true {
                kept[title, default: []].append(origin.title)
            }
        }
    }
}
