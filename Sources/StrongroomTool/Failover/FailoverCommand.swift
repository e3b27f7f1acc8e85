import ArgumentParser
import Foundation
import Strongroom
import StrongroomCommands
import StrongroomReplication

/// `strongroom failover`: two hosts on this machine, of which one dies and the other one takes over.
struct FailoverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "failover",
        abstract: "Shows how a second host takes over an encrypted database from one that is killed.",
        discussion: """
            A process writes payments into an encrypted database, each of which it acknowledges when the replica has \
            it. It is killed in the middle of its work. This process then takes over the database in another \
            directory, and compares what it has with what was acknowledged.

            Everything is in a temporary directory, which is removed, unless --replicas names an object store.
            """
    )

    @Option(help: "After how many acknowledged payments the first host is killed.")
    var payments = 200
    @Option(
        help: ArgumentHelp(
            "Where the replica is: a directory, or s3://BUCKET with --endpoint (default: a temporary directory).",
            valueName: "location"))
    var replicas: String?
    @OptionGroup var service: ObjectStoreOptions
    @Flag(help: "Print one JSON object, for machines.")
    var json = false
    @Option(help: .hidden)
    var firstHost: String?
    @Option(help: .hidden)
    var secondHost: String?

    func validate() throws {
        guard (1...100_000).contains(payments) else {
            throw ValidationError("--payments takes a number from 1 to 100000.")
        }
    }

    func run() async throws {
        if let firstHost {
            try await FailoverHost(directory: firstHost, objects: objects(firstHost)).pay()
            return
        }
        if let secondHost {
            let host = FailoverHost(directory: secondHost, objects: try objects(secondHost), name: "second")
            Console.standard.write(verbatim: String(try await host.takeOver()))
            return
        }
        let directory = FileManager.default.temporaryDirectory.appending(path: "strongroom-\(UUID().uuidString)")
        let path = directory.path(percentEncoded: false)
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: path) }
        var story = FailoverStory(directory: path, objects: try objects(path), isQuiet: json)
        var arguments = ["failover", "--first-host", path]
        if let replicas { arguments += ["--replicas", absolute(replicas)] + service.arguments }
        let report = try await story.run(payments, arguments)
        if json { Console.standard.write(verbatim: try JSONLine.encode(report)) }
        guard report.lost == 0 else {
            throw CommandFailure("lost", "\(report.lost) acknowledged payments are lost.", .failure)
        }
    }

    private func objects(_ directory: String) throws -> any ObjectStore {
        try replicas.map { try service.objects(absolute($0)) } ?? DirectoryObjectStore("\(directory)/replicas")
    }

    /// A directory's path from the root, or the bucket.
    private func absolute(_ location: String) -> String {
        location.contains("://") ? location : URL(filePath: location).standardizedFileURL.path(percentEncoded: false)
    }
}
