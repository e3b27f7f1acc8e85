import ArgumentParser
import Foundation
import Strongroom
import StrongroomReplication

/// `replica restore`: replaces databases by states of their replicas.
struct ReplicaRestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Writes databases from their replicas.",
        discussion: """
            The objects are checked, every page's authentication code is verified, and the engine checks the file; \
            then it takes the database's place atomically. The replica is only read.
            """)

    @OptionGroup var databases: ReplicatedDatabases
    @OptionGroup(title: "Keys") var keys: KeyOptions
    @Option(
        help: ArgumentHelp(
            "The last state at this time, such as 2027-03-14T14:05:00Z, instead of the newest.", valueName: "time"))
    var at: String?
    @Option(
        help: ArgumentHelp("The replica is of this other database, which becomes this one.", valueName: "name"))
    var adoptFrom: String?
    @Flag(help: "Replace existing databases: what is not in the replica is lost.")
    var force = false
    @OptionGroup(title: "Several databases") var family: FamilyOptions
    @OptionGroup var output: OutputOptions

    struct Detail: Encodable, Sendable {
        let change: UInt64
        let time: Date
        let bytes: Int64
        let rows: Int64
    }

    private var point: RestorePoint {
        get throws {
            guard let at else { return .newest }
            guard let date = try? Date(at, strategy: .iso8601) else {
                throw ValidationError("--at takes a time such as 2027-03-14T14:05:00Z.")
            }
            return .time(date)
        }
    }

    func validate() throws {
        _ = try point
        guard adoptFrom == nil || databases.names.count == 1 && databases.family.isEmpty else {
            throw ValidationError("--adopt-from goes with one database.")
        }
        guard !family.resume else {
            throw ValidationError(
                "--resume does not go with it: a report does not say of which replica and time a database is.")
        }
    }

    func run() async throws {
        let point = try point
        let chain = try keys.keyChain(asking: nil, isNew: false)
        let command = FamilyCommand<Detail>(
            name: "replica restore", label: "Restoring", databases: try await databases.resolve(), options: family,
            output: output)
        try await command.run { [databases, force, adoptFrom] database, progress in
            let target = database.with(keys: chain)
            guard try force || !Stores.hasFile(at: target.path) else {
                throw CommandFailure(
                    "exists", "There is a database at \"\(target.path)\". Give --force to replace it.", .cannotCreate)
            }
            let report = try await target.restoreReplica(
                databases.replica(of: database), to: point, adoptingFrom: adoptFrom
            ) { progress.update($0) }
            let detail = Detail(
                change: report.change, time: report.time, bytes: report.file.bytes, rows: report.file.rows)
            let summary = "\(HumanReadable.count(report.file.rows, "row")), \(HumanReadable.bytes(report.file.bytes))"
            return .init(.done, "\(summary), of \(report.time.formatted(.iso8601))", detail)
        }
    }
}
