import Foundation
import Strongroom
import StrongroomTesting
import Testing

#if os(Linux)
/// Each in a process of its own: the environment belongs to the whole process, in which other tests run.
@Suite("Where files lie by default")
struct DefaultPathTests {
    private struct Default: Configuration {
        static let target = "default"
        func keyChain(for database: DatabaseName) throws -> KeyChain { try KeyChain(.numbered(1)) }
    }

    /// Opens a database of a configuration that names no path.
    private static func path(of fileName: String) async throws -> String {
        let store = try await Stores(Default()).open(fileName)
        try await store.close()
        return store.path
    }

    private static var programName: String { URL(filePath: CommandLine.arguments[0]).lastPathComponent }

    @Test func theDataDirectoryOfTheEnvironmentIsUsed() async throws {
        let directory = try TemporaryDirectory()
        await #expect(processExitsWith: .success) { [data = directory.path("data") as String] in
            setenv("XDG_DATA_HOME", data, 1)
            let path = try await Self.path(of: "default_a.sqlite")
            #expect(path == "\(data)/\(Self.programName)/default_a.sqlite")
        }
        #expect(!FileManager.default.fileExists(atPath: directory.path(".local")))
    }

    @Test(arguments: ["not set", "", "relative/data"])
    func withoutAUsableVariableItIsTheHomeDirectorysShare(variable: String) async throws {
        let directory = try TemporaryDirectory()
        await #expect(processExitsWith: .success) {
            [home = directory.path("home") as String, variable = variable as String] in
            setenv("HOME", home, 1)
            if variable == "not set" { unsetenv("XDG_DATA_HOME") } else { setenv("XDG_DATA_HOME", variable, 1) }
            let path = try await Self.path(of: "default.sqlite")
            #expect(path == "\(home)/.local/share/\(Self.programName)/default.sqlite")
            let isPrivate = try [".local", ".local/share", ".local/share/\(Self.programName)"].map { name in
                try FileManager.default.attributesOfItem(atPath: "\(home)/\(name)")[.posixPermissions] as? Int == 0o700
            }
            #expect(isPrivate == [true, true, true])
        }
    }
}
#endif
