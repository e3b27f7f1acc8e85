import ArgumentParser

extension CommandList {
    /// Commands for replicas.
    static let replicas: [any ParsableCommand.Type] = [ReplicateCommand.self, ReplicaCommand.self]
}
