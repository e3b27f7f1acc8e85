import ArgumentParser
import Strongroom
import StrongroomReplication

/// Where the replicas of databases are.
struct ReplicaOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            A directory, or s3://BUCKET or s3://BUCKET/PREFIX, in which each database has a folder with its \
            file name. Without it, the configuration of each database says where its replica is. The \
            credentials of an S3 service are those that other S3 tools find: from AWS_ACCESS_KEY_ID and \
            AWS_SECRET_ACCESS_KEY, a web identity, a profile, a container's endpoint or an instance's role.
            """,
            valueName: "location"))
    var replicas: String?
    @OptionGroup var service: ObjectStoreOptions

    /// The object store that the options name; nil for none.
    func objects() throws -> (any ObjectStore)? { try replicas.map(service.objects) }

    /// The replica of a database.
    ///
    /// - Throws: ``CommandFailure`` with `noReplica` if neither the options nor the configuration has one,
    ///   `invalidName` for a file whose name is no database's: another name would stand for several such files.
    func replica(of database: OperatedDatabase) throws -> Replica {
        guard database.hasOwnName else {
            throw CommandFailure(
                "invalidName",
                """
                "\(FilePath.name(of: database.path))" cannot be the name of a replica. Rename the file: a database's \
                name begins with a letter or a digit, ends in none of -journal, -wal, -shm, .keys, .keys.copy, and has \
                at most 200 bytes.
                """, .usage)
        }
        if let objects = try objects() { return Replica(in: objects) }
        guard let replica = try database.configuredReplica() else {
            throw CommandFailure(
                "noReplica",
                "The configuration of \"\(database.name)\" has no replica. Give --replicas DIRECTORY.", .configuration)
        }
        return replica
    }
}

extension OperatedDatabase {
    /// The replica that the database's configuration lists; nil if it lists none.
    func configuredReplica() throws -> Replica? {
        try configuration.base?.extensions(for: name).lazy.compactMap { $0 as? Replica }.first
    }
}
