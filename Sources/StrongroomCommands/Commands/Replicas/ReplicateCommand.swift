import ArgumentParser
import Strongroom
import StrongroomReplication

/// `replicate`: ships what has changed in databases to their replicas.
struct ReplicateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replicate",
        abstract: "Ships what has changed in databases to their replicas, as encrypted pages.",
        discussion: """
            Only pages that differ are shipped, so that a directory of replicas is an incremental backup. Without an \
            object store, give --replicas DIRECTORY. For files that have not changed since, only the objects of their \
            replicas are listed, of many files by one request. A program that has a database open and a replica in its \
            configuration ships on its own; this command then waits for it.

            A replica is not continued with a file that has not shipped to it, or not last, as after a move to another \
            host: --take-over allows that, and the replica continues with this file's content.
            """
    )

    @OptionGroup var databases: ManyDatabases
    @OptionGroup(title: "Replica") var replicas: ReplicaOptions
    @OptionGroup(title: "Several databases") var family: FamilyOptions
    @Flag(help: "Continue a replica that another file has written last.")
    var takeOver = false
    @OptionGroup var output: OutputOptions

    struct Detail: Encodable, Sendable {
        let change: UInt64
        let objects: Int
        let bytes: Int
    }

    func run() async throws {
        let command = FamilyCommand<Detail>(
            name: "replicate", label: "Replicating", databases: try databases.resolve(), options: family,
            output: output, unit: .count)
        let lists = ReplicaLists()
        try await command.run { [replicas, takeOver] database, _ in
            var replica = try replicas.replica(of: database)
            replica.takesOver = takeOver
            // What fails here is reported by the store.
            if let change = try? await database.unchangedSince(replica, by: lists) {
                return .init(.skipped, "unchanged since change \(change)", Detail(change: change, objects: 0, bytes: 0))
            }
            // A base, or a change behind the newest one, may be missing.
            replica.isAlwaysRead = true
            let status = try await database.replicating(replica).using { store in
                try await store.replication?.waitWhileItGoesOn()
                return store.replication?.status
            }
            let (objects, bytes) = status?.shipped ?? (0, 0)
            let change = status?.change ?? 0
            let detail = Detail(change: change, objects: objects, bytes: bytes)
            guard objects > 0 else { return .init(.skipped, "unchanged since change \(change)", detail) }
            let summary = "\(HumanReadable.bytes(Int64(bytes))) in \(HumanReadable.count(objects, "object"))"
            return .init(.done, "\(summary), change \(change)", detail)
        }
    }
}

extension Replication {
    /// Waits until the replica has everything, however long that takes, unless the object store fails.
    fileprivate func waitWhileItGoesOn() async throws {
        var failures = 0
        while true {
            do {
                return try await waitUntilShipped(timeout: .seconds(5))
            } catch let error as StrongroomError where error.code == .replicaBehind {
                failures = status.failure == nil ? 0 : failures + 1
                guard failures < Self.patience || status.failure == nil else { throw status.failure ?? error }
            }
        }
    }

    /// Failed attempts in a row, of five seconds each, after which the command fails.
    private static let patience = 6
}
