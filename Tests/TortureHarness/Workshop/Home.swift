import Foundation

/// A directory with one database, its key file, and a backup of it.
struct Home {
    static let database = "addressbook_t.sqlite"

    let path: String

    var data: String { "\(path)/data/strongroom" }
    var database: String { "\(data)/\(Self.database)" }
    var configuration: String { "\(path)/config/strongroom" }
    var keyFile: String { "\(configuration)/addressbook.keys" }
    var backup: String { "\(path)/backup.sqlite" }
    var scratch: String { "\(path)/scratch" }

    /// The variables with which the tool finds all of it.
    var environment: [String: String] {
        ProcessInfo.processInfo.environment.merging([
            "XDG_DATA_HOME": "\(path)/data", "XDG_CONFIG_HOME": "\(path)/config", "XDG_STATE_HOME": "\(path)/state",
            "NO_COLOR": "1",
        ]) { $1 }
    }

    /// The newest key, as the engine's shell takes it; the keys were made by the tool.
    func engineKey() throws -> String {
        let text = try String(contentsOfFile: keyFile, encoding: .utf8)
        let key = text.split(separator: "\n").last { $0.hasPrefix("raw:") }?.dropFirst(4) ?? ""
        return "x'\(key)'"
    }

    /// The keys, oldest first.
    func engineKeys() throws -> [String] {
        try String(contentsOfFile: keyFile, encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix("raw:") }.map { "x'\($0.dropFirst(4))'" }
    }

    func make() throws {
        for directory in [data, configuration, scratch] {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        }
    }
}
