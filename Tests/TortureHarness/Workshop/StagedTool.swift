import Foundation

/// The tool where every user can run it: a checkout may lie in a home that others cannot enter.
enum StagedTool {
    static func path(_ round: Round) throws -> String {
        let tool = round.settings.tool
        let stage = "\(round.settings.directory)/stage"
        let copy = "\(stage)/strongroom"
        if FileManager.default.fileExists(atPath: copy) {
            round.environment["LD_LIBRARY_PATH"] = stage
            let preloaded = preloaded(round).map { "\(stage)/\(name(of: $0))" }
            round.environment["LD_PRELOAD"] = preloaded.isEmpty ? nil : preloaded.joined(separator: ":")
            return copy
        }
        if try isUsable(tool, round) { return tool }
        try FileManager.default.createDirectory(atPath: stage, withIntermediateDirectories: true)
        let libraries = try round.program(["/usr/bin/ldd", tool]).output.split(separator: "\n")
            .compactMap { $0.split(separator: " ").first { $0.hasPrefix("/") && !$0.hasPrefix("/lib") } }
        for library in libraries.map(String.init) + preloaded(round) {
            try? FileManager.default.copyItem(atPath: resolved(library), toPath: "\(stage)/\(name(of: library))")
        }
        try FileManager.default.copyItem(atPath: resolved(tool), toPath: copy)
        return try path(round)
    }

    private static func preloaded(_ round: Round) -> [String] {
        (round.environment["LD_PRELOAD"] ?? "").split(whereSeparator: { " :".contains($0) }).map(String.init)
    }

    private static func name(of path: String) -> Substring {
        path.split(separator: "/").last ?? ""
    }

    private static func resolved(_ path: String) -> String {
        URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
    }

    /// Whether another user can run it, with the same engine.
    private static func isUsable(_ tool: String, _ round: Round) throws -> Bool {
        let own = try round.program([tool, "--version"])
        let other = try round.program(UserSwitch.prefix(UserSwitch.owner) + [tool, "--version"])
        // The loader tells on standard error of what it may not load.
        // Where it finds one of another version, it tells nothing.
        let libraries = try [[], UserSwitch.prefix(UserSwitch.owner)].map { prefix in
            try round.program(prefix + ["/usr/bin/ldd", tool]).output.replacing(#/ \(0x[0-9a-f]+\)/#, with: "")
        }
        return other.succeeded && other.output == own.output && other.errors == own.errors
            && libraries[0] == libraries[1]
    }
}
