import Foundation
import Strongroom
import Testing

/// The `sqlcipher` shell of the linked engine's version: another program that makes and opens the same files.
struct SQLCipherShell {
    struct Failed: Error {
        let output: String
    }

    /// The shell whose version is the linked engine's; nil when it is not installed.
    static let installed = find()

    static let reason: Comment = "the sqlcipher shell of the linked engine's version is not on the PATH"

    private let program: Program

    /// Where it lies.
    var path: String { program.path }

    /// Runs SQL on a file.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - key: The statement that gives the key, such as `PRAGMA key = 'secret'`; it says nothing on one version and
    ///     "ok" on the other.
    ///   - sql: What is run with it.
    /// - Returns: The lines that the SQL gave.
    func run(_ path: String, key: String, _ sql: String) throws -> [String] {
        let marker = "---"
        let result = try program.run(["-batch", path], input: "\(key);\nSELECT '\(marker)';\n\(sql)\n")
        let lines = result.output.split(separator: "\n").map(String.init)
        guard result.status == 0, result.errors.isEmpty, let start = lines.firstIndex(of: marker) else {
            throw Failed(output: "\(result.status): \(result.output) \(result.errors)")
        }
        return Array(lines[(start + 1)...])
    }

    private static func find() -> SQLCipherShell? {
        guard let linked = try? EngineFeatures.current() else { return nil }
        // A library that was built by hand is found by LD_LIBRARY_PATH, and its shell lies beside it.
        let directories = Program.searchPath + Program.list("LD_LIBRARY_PATH").map { "\($0)/../bin" }
        return directories.compactMap { Program(at: "\($0)/sqlcipher") }.first { program in
            let answer = try? program.run(["-batch", ":memory:"], input: "PRAGMA cipher_version;\n")
            return answer?.output.split(separator: "\n").first.map(String.init) == linked.cipherVersion
        }.map(SQLCipherShell.init)
    }
}
