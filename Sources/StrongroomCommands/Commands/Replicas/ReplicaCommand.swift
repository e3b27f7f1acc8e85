import ArgumentParser

/// `replica`: commands for what replicas have.
struct ReplicaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replica",
        abstract: "Shows, verifies, prunes and restores the replicas of databases.",
        subcommands: [
            ReplicaStatusCommand.self, ReplicaVerifyCommand.self, ReplicaPruneCommand.self, ReplicaRestoreCommand.self,
        ]
    )
}
