import ArgumentParser
import Strongroom

/// `doctor`: what is wrong with a file.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Finds out what a file is and what is wrong with it, from its bytes alone.",
        discussion: """
            Nothing is written, and no lock is taken: the file may be open elsewhere. Without a key it can be told \
            whether there is a file, whether it is plaintext, and who has it open; with the key, every page.

            Exit codes: 0 whole, or plaintext; 65 empty, cut off, damaged (or its log), encrypted behind a plaintext \
            header, or of a newer program; 66 nothing there, or no file; 75 a log has to be brought in first; 77 may \
            not be read; 78 no key, no key fits, or its envelope cannot be used.
            """
    )

    @Argument(
        help: ArgumentHelp(
            """
            The name of a database, whose configuration says where it lies and gives the keys, or a file's path. A \
            file with such a name that lies in this directory is given with a "/", as ./NAME.
            """,
            valueName: "file"))
    var file: String

    @Option(help: ArgumentHelp("With a name, take this file in place of its own.", valueName: "file"))
    var path: String?

    @OptionGroup(title: "Keys") var keys: KeyOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let diagnosis = try await Interruption.cancelling { try await diagnose() }
        let report = DoctorReport(diagnosis)
        if output.json { try output.write(report) } else { report.show(on: CommandSession.current.console) }
        guard report.exitStatus != .success else { return }
        // The report has told it.
        throw CommandFailure("\(diagnosis.finding)", "", report.exitStatus)
    }

    private func diagnose() async throws -> FileDiagnosis {
        let progress = CommandProgress("Reading", count: 1, isQuiet: output.json)
        defer { progress.finish() }
        let tell: @Sendable (WorkProgress) -> Void = { progress.update(to: $0.done, of: $0.total) }
        if try isName() {
            let database = try OperatedDatabase(file, path: path, keys: keys.keyChain(asking: nil))
            // A configuration may make its key file when it is asked for the keys.
            guard try Stores.hasFile(at: database.path) else { return try await Stores.diagnose(path: database.path) }
            return try await database.diagnose(progress: tell)
        }
        let place = FilePath.absolute(file)
        if let chain = try keys.keyChain(asking: nil) {
            return try await Stores.diagnose(path: place, keys: chain.isPlaintext ? nil : chain, progress: tell)
        }
        let first = try await Stores.diagnose(path: place, progress: tell)
        // Only where a key tells more, and somebody is there who may know it.
        guard first.finding == .keyless, let chain = try typedKeys() else { return first }
        return try await Stores.diagnose(path: place, keys: chain, progress: tell)
    }

    private func typedKeys() throws -> KeyChain? {
        let line = try CommandSession.current.input.line("Key of \(file) (Enter for none)")
        guard var line, !line.isEmpty else { return nil }
        defer { for place in line.indices { line[place] = 0 } }
        return try KeyChain(text: line, source: "What was typed")
    }

    /// Whether a database is meant that has a configuration; what nobody has one for is a file in the working
    /// directory.
    private func isName() throws -> Bool {
        guard path == nil, !FilePath.isPath(file) else { return path != nil }
        do {
            _ = try CommandSession.current.stores.registeredConfiguration(of: DatabaseName(file))
            return true
        } catch let error as StrongroomError where error.code == .noConfiguration || error.code == .invalidName {
            return false
        }
    }
}
