import ArgumentParser
import Strongroom

/// `salvage`: what can be read of a damaged database, in a new file.
struct SalvageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "salvage",
        abstract: "Copies every row that can still be read from a damaged database into a new file.",
        discussion: """
            The damaged file is only read, and must not be open anywhere. The new file's disk needs free space of \
            twice the file's length. A row is copied with all of its values or not at all. Where a page is damaged \
            that leads to others, all pages are searched for the rows below it. Rows that may belong to several tables \
            go to the table lost_and_found of the new file. The new file gets the current key; nothing is overwritten.

            Exit codes: 0 every row was copied; 1 the new file is there, and something was lost, which is reported; \
            65 nothing can be found, since the first page or the schema is damaged; 66 no such file; 73 something lies \
            where the new file is to be made; 75 another process has it open; 78 wrong key. From 65 on there is no new \
            file.
            """
    )

    @OptionGroup var database: OneDatabase
    @Option(help: ArgumentHelp("The file that is made.", valueName: "file"))
    var to: String
    @Flag(help: "Leave out the rows whose table cannot be told, and only count them.")
    var noLostAndFound = false
    @OptionGroup var form: OutputOptions

    func run() async throws {
        let database = try database.resolve()
        try OperatedDatabase.checkFile(database.path)
        try await database.requireForeign(to)
        let target = FilePath.absolute(to)
        guard try !Stores.hasFile(at: target) else {
            throw CommandFailure(
                "exists", "\"\(to)\" is there already, and a salvage overwrites nothing. Give another name.",
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
    /// Copies what can be read of it.
    fileprivate func salvage(
        to path: String, keepingUnattributed: Bool, progress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws -> SalvageReport {
        try await Stores(answering: name.target, with: configuration).salvage(
            name.fileName, to: path, keepingUnattributed: keepingUnattributed, progress: progress)
    }
}
