#if os(Linux)
import FaultWork
import Foundation
// For the journal mode: a store always goes over to the write-ahead log, so a file that begins in another mode is not
// to be had from one.
@testable import Strongroom
import StrongroomTesting

/// How the file is found by the work.
enum Beginning: String, CaseIterable, Sendable {
    case noFile = "no file"
    case deleteMode = "DELETE"
    case logMode = "WAL"
    /// The log of a process that was killed lies beside the file, with all rows in it.
    case leftLog = "WAL, left"

    static func all(for work: any Work) -> [Beginning] {
        work.beginsWithFile ? [.deleteMode, .logMode, .leftLog] : [.noFile]
    }
}

/// A kind of work and the files with which it begins, which can be laid down any number of times.
struct FaultCase: Sendable {
    let work: any Work
    let beginning: Beginning
    private let files: [String: Data]

    init(_ work: any Work, _ beginning: Beginning, _ victim: Victim) async throws {
        self.work = work
        self.beginning = beginning
        let directory = try TemporaryDirectory()
        let place = Place(directory.path("files"))
        try FileManager.default.createDirectory(atPath: place.directory, withIntermediateDirectories: false)
        switch beginning {
        case .noFile: try await work.prepare(in: place)?.close()
        case .deleteMode:
            try await work.prepare(in: place)?.close()
            try Self.leaveLogMode(place, work)
        case .logMode: try await work.prepare(in: place)?.close()
        case .leftLog: _ = try await victim.run("prepare", work, in: place.directory)
        }
        files = try Self.content(of: place.directory)
    }

    /// All cases, of all kinds of work, or of the one that `STRONGROOM_FAULT_WORK` names.
    static func all(_ victim: Victim) async throws -> [FaultCase] {
        var cases: [FaultCase] = []
        let name = ProcessInfo.processInfo.environment["STRONGROOM_FAULT_WORK"]
        for work in Works.all where name == nil || work.name == name {
            for beginning in Beginning.all(for: work) { cases.append(try await FaultCase(work, beginning, victim)) }
        }
        return cases
    }

    /// Makes a directory with the files as they are before the work.
    func lay(in directory: TemporaryDirectory) throws -> Place {
        try Self.write(files, to: directory.path("files"))
    }

    /// Copies a place, in which no store is open.
    static func copy(_ place: Place, to directory: TemporaryDirectory) throws -> Place {
        try write(content(of: place.directory), to: directory.path("copy"))
    }

    private static func write(_ files: [String: Data], to directory: String) throws -> Place {
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        for (name, data) in files {
            if let folder = name.lastIndex(of: "/") {
                try FileManager.default.createDirectory(
                    atPath: "\(directory)/\(name[..<folder])", withIntermediateDirectories: true)
            }
            // Foundation's descriptors are inherited by a process that another test starts at this moment, which then
            // has the file open for its whole life: the work would take the way for a file that is open elsewhere.
            let file = try PlainFile(creating: "\(directory)/\(name)")
            try data.withUnsafeBytes { try file.write($0, at: 0) }
        }
        return Place(directory)
    }

    private static func content(of directory: String) throws -> [String: Data] {
        var content: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: directory) {
            let path = URL(filePath: "\(directory)/\(name)")
            guard try path.resourceValues(forKeys: [.isDirectoryKey]).isDirectory != true else { continue }
            content[name] = try Data(contentsOf: path)
        }
        return content
    }

    private static func leaveLogMode(_ place: Place, _ work: any Work) throws {
        let content = try FileContent.of(place.path)
        let file = DatabaseFile(path: place.path, name: "vault.sqlite", busyTimeout: 0, log: nil)
        let connection: Connection
        if let salt = content.salt {
            let keys = try DatabaseKeys(file, work.firstKeys(), [work.firstCipher()], .direct, salt: salt)
            connection = try keys.unlock(content).connection
        } else {
            connection = try file.connect(.existing, key: nil)
        }
        guard try connection.ownValue("PRAGMA journal_mode = DELETE") == .text("delete") else {
            throw StrongroomError(.engine, "The file stays in the mode of the write-ahead log.")
        }
        connection.close()
    }
}
#endif
