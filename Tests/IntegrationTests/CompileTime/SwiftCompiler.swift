import Foundation
import StrongroomTesting

/// The Swift compiler that built the tests, given the modules that they were built with.
struct SwiftCompiler: Sendable {
    /// What the compiler said to a piece of source.
    struct Answer: Sendable {
        let status: Int32
        let output: String

        /// The errors in the source, by the number of their line.
        var errors: [Int: [String]] {
            output.matches(of: /snippet\.swift:(\d+):\d+: error: (.*)/)
                .reduce(into: [:]) { errors, match in
                    guard let line = Int(match.1) else { return }
                    errors[line, default: []].append(String(match.2))
                }
        }
    }

    struct Unusable: Error {
        let reason: String
    }

    private let modules: String
    private let macros: String
    /// Where the compiler keeps what it made of the system's headers, for the next snippet and the next run.
    private let cache: String

    /// Where `swiftc` lies: beside the runtime that the tests use, or else on the PATH; nil when there is none.
    static let path: String? = {
        #if ConfigReader
        // The library's module needs swift-configuration's then, and that the headers of packages which only the
        // package manager finds.
        return nil
        #else
        let candidates = [besideRuntime].compactMap(\.self) + onPath
        return candidates.first { FileManager.default.isExecutableFile(atPath: $0) }
        #endif
    }()

    init() throws {
        let products = Self.bundle.deletingLastPathComponent()
        let places = [products.appending(path: "Modules"), products].map { $0.path(percentEncoded: false) }
        let found = places.first { FileManager.default.fileExists(atPath: "\($0)/Strongroom.swiftmodule") }
        guard let found else { throw Unusable(reason: "no module of Strongroom in \(places)") }
        modules = found
        macros = products.appending(path: "StrongroomMacros-tool").path(percentEncoded: false)
        cache = products.appending(path: "SnippetModuleCache").path(percentEncoded: false)
    }

    /// The arguments that each run has.
    private var common: [String] {
        var all = ["-swift-version", "6", "-parse-as-library"]
        if FileManager.default.fileExists(atPath: macros) {
            all += ["-load-plugin-executable", "\(macros)#StrongroomMacros"]
        }
        all += ["-I", modules, "-module-cache-path", cache]
        for map in Self.moduleMaps { all += ["-I", map] }
        for header in Self.engineHeaders { all += ["-Xcc", header] }
        return all
    }

    /// Compiles source up to the checks of ownership, in Swift 6 mode; nothing is written.
    func compile(_ source: String) async throws -> Answer {
        let own = try TemporaryDirectory()
        try Data(source.utf8).write(to: own.url.appending(path: "snippet.swift"))
        return try await run(["-emit-sil", "-o", "/dev/null", "snippet.swift"], in: own)
    }

    /// Checks the types of source, in Swift 6 mode; nothing is written.
    ///
    /// - Parameters:
    ///   - source: The source; nil for none besides the files.
    ///   - files: Further files of the same module.
    ///   - scopes: How many scopes the compiler's solver may open for an expression. A larger number is an error in its
    ///     place. The number, unlike the time that it takes, is the same on each machine and in each run.
    func checkTypes(_ source: String? = nil, _ files: [String] = [], scopes: Int) async throws -> Answer {
        let own = try TemporaryDirectory()
        var files = files
        if let source {
            try Data(source.utf8).write(to: own.url.appending(path: "snippet.swift"))
            files.append("snippet.swift")
        }
        let features = [
            "ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility", "NonisolatedNonsendingByDefault",
        ]
        var arguments = ["-typecheck", "-wmo", "-package-name", "strongroom", "-module-name", "Checked"]
        arguments += ["-D", "Macros", "-Xfrontend", "-solver-scope-threshold=\(scopes)"]
        for feature in features { arguments += ["-enable-upcoming-feature", feature] }
        return try await run(arguments + files, in: own)
    }

    private func run(_ arguments: [String], in own: TemporaryDirectory) async throws -> Answer {
        guard let path = Self.path else { throw Unusable(reason: "there is no swiftc") }
        let output = own.url.appending(path: "output")
        try Data().write(to: output)
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.currentDirectoryURL = own.url
        process.arguments = arguments + common
        process.standardOutput = FileHandle.nullDevice
        // A file, since a pipe that nobody empties would stop the compiler.
        process.standardError = try FileHandle(forWritingTo: output)
        try await process.runToEnd()
        return try Answer(status: process.terminationStatus, output: String(contentsOf: output, encoding: .utf8))
    }

    /// The module maps of the C modules, which the compiler looks for when it loads the library's module.
    private static let moduleMaps = ["CSQLCipher/System", "CPlatform/include", "CLibCrypto/include"].map { folder in
        URL(filePath: #filePath)
            .deletingLastPathComponent().appending(path: "../../../Sources/\(folder)").standardized
            .path(percentEncoded: false)
    }

    /// Where the engine's headers lie, when that is not where every compiler looks.
    private static let engineHeaders: [String] = {
        let paths = ProcessInfo.processInfo.environment["PKG_CONFIG_PATH"] ?? ""
        return paths.split(separator: ":").map { "-I\($0)/../../include" }
    }()

    /// The test bundle.
    private static var bundle: URL {
        #if canImport(Darwin)
        Bundle(for: TemporaryDirectory.self).bundleURL
        #else
        Bundle.main.executableURL ?? Bundle.main.bundleURL
        #endif
    }

    private static var besideRuntime: String? {
        // Where there is no such file, the compiler is the one on the PATH.
        guard let maps = try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8) else { return nil }
        let runtime = maps.firstMatch(of: /(\/.*)\/lib\/swift\/[^\/]+\/libswiftCore\.so/)
        return runtime.map { "\($0.1)/bin/swiftc" }
    }

    private static var onPath: [String] {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/swiftc" }
    }
}
