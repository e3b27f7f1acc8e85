import ArgumentParser
import Strongroom

/// `doctor`: diagnoses a file.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Diagnoses a file from its bytes.",
        discussion: """
            Nothing is written, and no lock is acquired: the file may be open in other processes. Without a key the \
            command reports whether the file exists, whether it is plaintext, and which processes have it open; with \
            the key, it checks every page. `verify` also compares indexes, full-text indexes too, with the rows.

            Exit codes: 0 intact, or plaintext; 65 empty, truncated, damaged (or its log), encrypted after a plaintext \
            header, of a newer program, or beside a link or the like in place of its log; 66 no such file, or not \
            a regular file; 75 a log has to be checkpointed first; 77 no permission to read; 78 no key, no matching \
            key, or its envelope cannot be used.
            """
    )

    @Argument(
        help: ArgumentHelp(
            """
            The name of a database, whose configuration defines its path and its keys, or a file's path. Write a \
            file in this directory with a "/", as ./NAME.
            """,
            valueName: "file"))
    var file: String

    @Option(help: ArgumentHelp("With a name, use this file instead of its own.", valueName: "file"))
    var path: String?

    @OptionGroup(title: "Keys") var keys: KeyOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let diagnosis = try await Interruption.cancelling { try await diagnose() }
        let report = DoctorReport(diagnosis)
        if output.json { try output.write(report) } else { report.show(on: CommandSession.current.console) }
        guard report.exitStatus != .success else { return }
        // The report has been printed.
        throw CommandFailure("\(diagnosis.finding)", "", report.exitStatus)
    }

    private func diagnose() async throws -> FileDiagnosis {
        let progress = CommandProgress("Reading", count: 1, isQuiet: output.json)
        defer { progress.finish() }
        let reportProgress: @Sendable (WorkProgress) -> Void = { progress.update(to: $0.done, of: $0.total) }
        if try isName() {
            let database = try OperatedDatabase(file, path: path, keys: keys.keyChain(asking: nil))
            // A configuration may create its key file when its keys are requested.
            guard try Stores.hasFile(at: database.path) else { return try await Stores.diagnose(path: database.path) }
            return try await database.diagnose(progress: reportProgress)
        }
        let path = FilePath.absolute(file)
        if let chain = try keys.keyChain(asking: nil) {
            return try await Stores.diagnose(
                path: path, keys: chain.isPlaintext ? nil : chain, progress: reportProgress)
        }
        let first = try await Stores.diagnose(path: path, progress: reportProgress)
        // Only if a key would reveal more, and there is a terminal to ask for it.
        guard first.finding == .keyless, let chain = try typedKeys() else { return first }
        return try await Stores.diagnose(path: path, keys: chain, progress: reportProgress)
    }

    private func typedKeys() throws -> KeyChain? {
        let line = try CommandSession.current.input.line("Key of \(file) (Enter for none)")
        guard var line, !line.isEmpty else { return nil }
        defer { for index in line.indices { line[index] = 0 } }
        return try KeyChain(text: line, source: "What was typed")
    }

    /// Whether the argument is a database with a configuration; a name without one is a file in the working directory.
    private func isName() throws -> Bool {
        guard path == nil, !FilePath.isPath(file) else { return path != nil }
        do {
            _ = try CommandSession.current.stores.configuration(of: DatabaseName(file))
            return true
        } catch let error as StrongroomError where error.code == .noConfiguration || error.code == .invalidName {
            return false
        }
    }
}
