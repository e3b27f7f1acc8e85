import ArgumentParser
import Strongroom

/// `salvage`: copies the readable rows of a damaged database into a new file.
struct SalvageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "salvage",
        abstract: "Copies every row that can still be read from a damaged database into a new file.",
        discussion: """
            The damaged file is not changed, and must not be open in any process. The new file's disk needs free space \
            of twice the file's length. A row is copied with all of its values or not at all. If an interior page is \
            damaged, all pages are searched for the rows below it. Rows that may belong to several tables are written \
            to the table lost_and_found of the new file. The new file has the current key; nothing is overwritten.

            Exit codes: 0 every row was copied; 1 the new file was created, and losses are reported; 65 no rows can be \
            found, since the first page or the schema is damaged; 66 no such file; 73 the new file's path exists; 75 \
            another process has the file open; 78 wrong key. From 65 on there is no new file.
            """
    )

    @OptionGroup var database: OneDatabase
    @Option(help: ArgumentHelp("The new file.", valueName: "file"))
    var to: String
    @Flag(help: "Skip the rows whose table cannot be determined, and only count them.")
    var noLostAndFound = false
    @OptionGroup var form: OutputOptions

    func run() async throws {
        let database = try database.resolve()
        try OperatedDatabase.checkFile(database.path)
        try await database.requireForeign(to)
        let target = FilePath.absolute(to)
        guard try !Stores.hasFile(at: target) else {
            throw CommandFailure(
                "exists", "\"\(to)\" exists, and a salvage overwrites nothing. Use another name.",
                .cannotCreate)
        }
        let progress = CommandProgress("Salvaging", count: 1, unit: .count, isQuiet: form.json)
        defer { progress.finish() }
        let report = try await Interruption.cancelling { [keeps = !noLostAndFound] in
            try await progress.accompany {
                try await database.salvage(to: target, keepingUnattributed: keeps) {
                    progress.update(to: $0.done, of: $0.total)
                }
            }
        }
        progress.finish()
        let detail = SalvageDetail(report)
        if form.json { try form.write(detail) } else { detail.show(report) }
        guard !report.isComplete else { return }
        throw CommandFailure("incomplete", detail.incompleteness, .failure)
    }
}

extension OperatedDatabase {
    /// Copies the readable rows.
    fileprivate func salvage(
        to path: String, keepingUnattributed: Bool, progress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws -> SalvageReport {
        try await Stores(answering: name.target, with: configuration).salvage(
            name.fileName, to: path, keepingUnattributed: keepingUnattributed, progress: progress)
    }
}
