/// Compares the versions of a file with those of a migrator while the file is open: a newer program may migrate it
/// meanwhile.
final class KnownSchema: Sendable {
    private let migrator: Migrator
    /// The number of the schema whose versions were compared last, on any connection.
    private let known = Locked<Int64?>(nil)

    init(_ migrator: Migrator) {
        self.migrator = migrator
    }

    /// Makes a connection compare at the beginning of transactions.
    func attach(to connection: Connection) {
        connection.file.schemaCheck = { [self] in try check($0, $1) }
    }

    /// - Throws: ``StrongroomError`` with `newerSchema` or `otherMigrations`, as opening the file would.
    private func check(_ connection: Connection, _ version: Int64) throws {
        guard known.withLock({ $0 }) != version else { return }
        try migrator.checkVersion(of: connection)
        known.withLock { $0 = version }
    }
}
