import ArgumentParser
import Foundation
import Strongroom
import StrongroomReplication

/// `replica prune`: removes old states of replicas.
struct ReplicaPruneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Removes states of replicas that are older than a time.",
        discussion: """
            Every younger state, and the newest one in any case, stays restorable. It may be interrupted at any time, \
            and run while programs write the replicas.
            """)

    @OptionGroup var databases: ReplicatedDatabases
    @Option(
        help: ArgumentHelp(
            "How far back states can be restored afterwards: a number and s, m, h, d or w, such as 30d.",
            valueName: "time"))
    var keep: String
    @Flag(help: "Remove nothing; show what would be removed.")
    var dryRun = false
    @OptionGroup(title: "Several databases") var family: FamilyOptions
    @OptionGroup var output: OutputOptions

    struct Detail: Encodable, Sendable {
        let objects: Int
        let bytes: Int
    }

    func validate() throws { _ = try seconds }

    private var seconds: Double { get throws { try TimeSpan.seconds(keep, of: "--keep") } }

    func run() async throws {
        let moment = Date(timeIntervalSinceNow: -(try seconds))
        let command = FamilyCommand<Detail>(
            name: dryRun ? "replica prune --dry-run" : "replica prune", label: "Removing",
            databases: try await databases.resolve(), options: family, output: output, unit: .count)
        try await command.run { [databases, dryRun] database, _ in
            let report = try await databases.replica(of: database).prune(
                database.name, keepingSince: moment, dryRun: dryRun)
            let detail = Detail(objects: report.objects, bytes: report.bytes)
            guard report.objects > 0 else { return .init(.skipped, "nothing is older", detail) }
            let summary =
                "\(HumanReadable.bytes(Int64(report.bytes))) in \(HumanReadable.count(report.objects, "object"))"
            return .init(.done, dryRun ? "would remove \(summary)" : "removed \(summary)", detail)
        }
    }
}
