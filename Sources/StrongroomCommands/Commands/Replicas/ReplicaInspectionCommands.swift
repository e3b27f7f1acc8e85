import ArgumentParser
import Foundation
import Strongroom
import StrongroomReplication

/// `replica status`: shows what replicas have.
struct ReplicaStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Shows which states of databases their replicas have.")

    @OptionGroup var databases: ReplicatedDatabases
    @OptionGroup(title: "Several databases") var family: FamilyOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let command = FamilyCommand<ReplicaDetail>(
            name: "replica status", label: "Listing", databases: try await databases.resolve(), options: family,
            output: output, unit: .count)
        try await command.run { [databases] database, _ in
            let inspection = try await databases.replica(of: database).inspect(database.name)
            return .init(.done, inspection.summary, ReplicaDetail(inspection))
        }
    }
}

/// `replica verify`: reads and checks every object of replicas.
struct ReplicaVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Reads every object of replicas, and checks digests and sequence; needs no key.",
        discussion: """
            The content of pages is checked when a replica is restored: their authentication codes need the key. \
            Damage is exit code 1.
            """)

    @OptionGroup var databases: ReplicatedDatabases
    @OptionGroup(title: "Several databases") var family: FamilyOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let command = FamilyCommand<ReplicaDetail>(
            name: "replica verify", label: "Verifying", databases: try await databases.resolve(), options: family,
            output: output, isStillDone: { _, _ in true })
        try await command.run { [databases] database, progress in
            let inspection = try await databases.replica(of: database).inspect(database.name, verifying: true) {
                progress.update($0)
            }
            let detail = ReplicaDetail(inspection)
            guard let finding = inspection.findings.first else { return .init(.done, inspection.summary, detail) }
            var result = FamilyRun<ReplicaDetail>.Result(.failed, inspection.summary, detail, exitStatus: .failure)
            let more = inspection.findings.count > 1 ? " And \(inspection.findings.count - 1) more." : ""
            result.failure = .init(code: "replicaDamaged", message: finding + more)
            return result
        }
    }
}

/// The databases of a command that needs neither their files nor their keys.
struct ReplicatedDatabases: ParsableArguments {
    @Argument(help: ArgumentHelp("Names of databases, such as clinic_a.sqlite.", valueName: "database"))
    var names: [String] = []
    @Option(
        help: ArgumentHelp("All databases of a target that have a replica in the directory.", valueName: "target"))
    var family: [String] = []
    @OptionGroup(title: "Replica") var replicas: ReplicaOptions

    func validate() throws {
        guard !names.isEmpty || !family.isEmpty else {
            throw ValidationError("Name a database, or give --family TARGET.")
        }
        guard family.isEmpty || replicas.replicas != nil else {
            throw ValidationError("--family goes with --replicas.")
        }
    }

    func replica(of database: OperatedDatabase) throws -> Replica { try replicas.replica(of: database) }

    func resolve() async throws -> [OperatedDatabase] {
        var found = try names.map { try OperatedDatabase(ofReplica: $0) }
        guard !family.isEmpty, let objects = try replicas.objects() else { return found }
        let folders = try await objects.folders(in: "")
        for target in family {
            let ofTarget = folders.filter { (try? DatabaseName($0))?.target == target }
            guard !ofTarget.isEmpty else {
                throw CommandFailure(
                    "noDatabases",
                    "There is no replica of the target \"\(target)\" in \"\(replicas.replicas ?? "")\".", .noInput)
            }
            for name in ofTarget {
                found.append(try OperatedDatabase(ofReplica: name))
                found[found.count - 1].family = target
            }
        }
        return found
    }
}

/// What a replica has, for JSON.
struct ReplicaDetail: Encodable, Sendable {
    let objects: Int
    let bytes: Int
    let newestChange: UInt64
    let oldestState: Date?
    let newestState: Date?
    let leaseOwner: String?
    let findings: [String]

    init(_ inspection: ReplicaInspection) {
        (objects, bytes, newestChange) = (inspection.objects, inspection.bytes, inspection.newestChange)
        (oldestState, newestState) = (inspection.states?.lowerBound, inspection.states?.upperBound)
        (leaseOwner, findings) = (inspection.leaseOwner, inspection.findings)
    }
}

extension ReplicaInspection {
    /// A description.
    var summary: String {
        let size = "\(HumanReadable.bytes(Int64(bytes))) in \(HumanReadable.count(objects, "object"))"
        let range =
            states.map { "states from \($0.lowerBound.formatted(.iso8601)) to \($0.upperBound.formatted(.iso8601))" }
            ?? "no state that can be restored"
        let owner = leaseOwner.map { "; \($0) has the lease" } ?? ""
        return "\(size), \(range)\(owner)"
    }
}
