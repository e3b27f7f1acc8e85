#if os(Linux)
import Foundation
import StrongroomTesting
import Testing

/// The library that is loaded before the C library and counts calls, compiled once by the C compiler that comes with
/// Swift's: whoever could build the package has one, since the package has C in it.
enum FaultShim {
    struct NotCompiled: Error {
        let output: String
    }

    private static let compilation = Task { try await compile() }

    /// The library's path.
    static func path() async throws -> String { try await compilation.value }

    private static let sources = URL(filePath: #filePath)
        .deletingLastPathComponent().appending(path: "../../FaultShim").standardized

    private static func compile() async throws -> String {
        let own = try TemporaryDirectory()
        let (made, output) = (own.path("shim.so"), own.url.appending(path: "output"))
        try Data().write(to: output)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            [compiler, "-Wall", "-Wextra", "-Werror", "-O1", "-fPIC", "-fvisibility=hidden", "-shared", "-pthread"]
            + ["-o", made]
            + ["calls.c", "disk.c", "plan.c"].map { sources.appending(path: $0).path() }
        process.standardError = try FileHandle(forWritingTo: output)
        try await process.runToEnd()
        guard process.terminationStatus == 0 else {
            throw NotCompiled(output: try String(contentsOf: output, encoding: .utf8))
        }
        // Beside the tests, whole at any moment: another run may be using the one that is there.
        let path = try Tool().url.deletingLastPathComponent().appending(path: "FaultShim.so").path()
        guard rename(try copied(made, beside: path), path) == 0 else {
            throw NotCompiled(output: "the library cannot be put into its place: errno \(errno)")
        }
        return path
    }

    private static func copied(_ source: String, beside path: String) throws -> String {
        let copy = "\(path).\(UUID().uuidString)"
        try FileManager.default.copyItem(atPath: source, toPath: copy)
        return copy
    }

    static var compiler: String {
        guard let swift = SwiftCompiler.path else { return "clang" }
        let beside = URL(filePath: swift).deletingLastPathComponent().appending(path: "clang").path()
        return FileManager.default.isExecutableFile(atPath: beside) ? beside : "clang"
    }
}
#endif
