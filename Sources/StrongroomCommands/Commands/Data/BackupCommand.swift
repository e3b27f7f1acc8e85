import ArgumentParser
import Foundation
import Strongroom

/// `backup`: copies of databases.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copies a consistent snapshot of a database into one file, or of several into a directory.",
        discussion: """
            `backup NAME FILE` writes one file, mode 0600. `backup NAME… --into DIRECTORY`, or `backup --family TARGET \
            --into DIRECTORY`, writes a file for each database, with the database's file name; two databases with one \
            file name are refused before anything is written. A missing directory is created, mode 0700.

            Other processes can read and write meanwhile. The copy is a single file and opens with its own key: the \
            database's current one, or another. The copy of a database with an envelope opens with every key that has \
            a slot, a recovery key, too; FILE.keys and FILE.keys.copy belong to it, and one of them has to be kept \
            with it. It is verified before it gets its name: the authentication code and \
            the content of every page are compared with the database's. It is encrypted like the database; the copy of \
            a plaintext database is plaintext, unless a key is given. With --force an older copy is replaced at that \
            moment, and stays if anything fails.

            With --check-structure the structure of the copy is checked. If it has a defect, such as an index that \
            does not match its table, the database has the same defect; the copy is kept, with exit code 65, since \
            `restore` rejects such a copy. `verify` looks for the same defects in the database. A copy with a defect \
            never replaces an older one.

            --into with --report and --resume resumes an interrupted run: databases are skipped whose copy the report \
            lists, and which is there with that size and its FILE.keys; otherwise that copy is replaced. A copy \
            without a line in the report, such as of the moment of a kill, is replaced only with --force.
            """
    )

    @OptionGroup var databases: ManyDatabases
    @Option(help: ArgumentHelp("Write a copy of each database into this directory.", valueName: "directory"))
    var into: String?
    @Flag(help: "Replace existing copies.")
    var force = false
    @Flag(help: "Check the structure of the copies, too, which can take longer than copying.")
    var checkStructure = false
    @OptionGroup var newKey: KeySourceOptions<NewKey>
    @OptionGroup(title: "Several databases, with --into") var family: FamilyOptions
    @OptionGroup var form: OutputOptions

    func validate() throws {
        guard into == nil else { return }
        guard databases.family.isEmpty, databases.databases.count + (databases.path == nil ? 0 : 1) > 1 else {
            throw ValidationError("Give a database and the output file, or --into DIRECTORY.")
        }
        guard family.report == nil, family.metrics == nil else {
            throw ValidationError("--report and --metrics go with --into DIRECTORY.")
        }
    }

    func run() async throws {
        let key = try newKey.source?.keyChain().current
        guard let directory = into.map(FilePath.absolute) else { return try await copyOne(key) }
        let command = FamilyCommand<BackupDetail>(
            name: "backup", label: "Copying", databases: try members(in: directory), options: family, output: form,
            isStillDone: { try Self.isComplete($1.copy, at: Self.path(of: $0, in: directory)) })
        let listed = family.resume ? family.report.map(FilePath.absolute) : nil
        let earlier = listed.map { ReportFile.lines(of: ["backup"], in: $0) } ?? [:]
        try await command.run { [force] database, progress in
            let file = Self.path(of: database, in: directory)
            let replaces = force || earlier[database.path]?.copy?.file == OperatedDatabase.resolved(file)
            let (_, detail) = try await copy(database, to: file, key, replaces, progress)
            var result = FamilyRun<BackupDetail>.Result(.done, detail.summary, detail)
            if let failure = detail.failure {
                (result.status, result.exitStatus) = (.failed, failure.status)
                result.failure = .init(code: failure.code, message: failure.message)
            }
            return result
        }
    }

    private func copyOne(_ key: Key?) async throws {
        var databases = databases
        let file = FilePath.absolute(databases.databases.removeLast())
        guard let database = try databases.resolve().first else { return }
        let progress = CommandProgress("Copying", count: 1, unit: .bytes, isQuiet: form.json)
        defer { progress.finish() }
        let (report, detail) = try await Interruption.cancelling { [force] in
            try await copy(database, to: file, key, force, progress)
        }
        progress.finish()
        if form.json { try form.write(detail) } else { detail.show("Copied", report) }
        if let failure = detail.failure { throw failure }
    }

    private func copy(
        _ database: OperatedDatabase, to file: String, _ key: Key?, _ replaces: Bool, _ progress: CommandProgress
    ) async throws -> (report: BackupReport, detail: BackupDetail) {
        try await database.requireForeign(file, keyFiles: [databases.keys.path, newKey.path])
        guard try replaces || !Stores.hasFile(at: file) else { throw CommandFailure.exists(file) }
        try ExistingFile(file).requireDatabaseOrNothing()
        let report = try await database.readOnly().using { store in
            try await store.backup(to: file, key: key, replacing: replaces, checkingStructure: checkStructure) {
                progress.update($0)
            }
        }
        return (report, BackupDetail(report).withEnvelope())
    }

    // MARK: Several databases

    /// Whether the copy that the report lists is at the path, as it was written.
    private static func isComplete(_ copy: ReportFile.Copy?, at path: String) throws -> Bool {
        let file = OperatedDatabase.resolved(path)
        guard let copy, copy.file == file, try Stores.hasFile(at: file) else { return false }
        let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int
        return try size.map { Int64($0) } == copy.bytes && copy.envelope.map { try Stores.hasFile(at: $0) } ?? true
    }

    private func members(in directory: String) throws -> [OperatedDatabase] {
        let found = try databases.resolve()
        for (file, members) in Dictionary(grouping: found, by: { Self.path(of: $0, in: directory) })
        where members.count > 1 {
            let paths = members.map { "\"\($0.path)\"" }.joined(separator: ", ")
            throw CommandFailure(
                "sameName", "\(paths) would all be copied to \"\(file)\". Give each a directory of its own.", .usage)
        }
        return found
    }

    private static func path(of database: OperatedDatabase, in directory: String) -> String {
        let name = database.isConfigured ? database.name.fileName : FilePath.name(of: database.path)
        return "\(directory)/\(name)"
    }
}
