/// The state of a cascading save or deletion: the rows that it has visited, each once, and the work deferred to its
/// end.
final class Cascade {
    let connection: Connection
    /// The visited rows.
    private var entered = KeySets()
    /// The rows whose records are among the saved values. A saved row is never deleted with another one.
    private let present: KeySets
    /// The rows of records that are marked for deletion.
    private var marked = KeySets()
    /// The rows that already belong to a list, by the column of their reference.
    private var linked: [String: KeySets] = [:]
    private var remaining: [() throws -> Void] = []

    init(_ connection: Connection, present: KeySets = KeySets()) {
        self.connection = connection
        self.present = present
    }

    var db: WriteTransaction { WriteTransaction(connection) }

    /// A deletion within the save.
    var deletion: Cascade { Cascade(connection, present: present) }

    /// Records a visited row.
    ///
    /// - Returns: Whether it is visited for the first time.
    func enter<Source: Table>(_ table: Source.Type, _ key: Source.Key) throws -> Bool {
        try entered.insert(key, of: table)
    }

    /// Marks records as visited, and returns the indices of those that were not visited before, including records
    /// without a key.
    func enter<Source: Table>(_ table: Source.Type, _ records: [Source.RecordType]) throws -> [Int] {
        try records.indices.filter { index in
            guard let key = Source.key(of: records[index]) else { return true }
            return try enter(table, key)
        }
    }

    /// The keys of a table's rows that are saved.
    func present<Source: Table>(_ table: Source.Type) throws -> KeySet<Source> { try present.keys(of: table) }

    func mark<Source: Table>(_ table: Source.Type, _ key: Source.Key) throws { _ = try marked.insert(key, of: table) }

    func isMarked<Source: Table>(_ table: Source.Type, _ key: Source.Key) throws -> Bool {
        try marked.contains(key, of: table)
    }

    /// Records that a row belongs to a list.
    ///
    /// - Returns: Whether it did not belong to a list before.
    func link<Source: Table>(_ table: Source.Type, _ key: Source.Key, by column: String) throws -> Bool {
        try linked[column, default: KeySets()].insert(key, of: table)
    }

    /// Defers work until everything is saved.
    func atTheEnd(_ work: @escaping () throws -> Void) {
        remaining.append(work)
    }

    func finish() throws {
        for work in remaining { try work() }
    }
}

/// Keys of several tables, compared as the engine does.
struct KeySets {
    private var sets: [ObjectIdentifier: [[Value]: any TableKey]] = [:]

    /// - Returns: Whether it was inserted.
    mutating func insert<Source: Table>(_ key: Source.Key, of table: Source.Type) throws -> Bool {
        try sets[ObjectIdentifier(table), default: [:]].updateValue(key, forKey: table.identity(of: key)) == nil
    }

    func contains<Source: Table>(_ key: Source.Key, of table: Source.Type) throws -> Bool {
        guard let set = sets[ObjectIdentifier(table)] else { return false }
        return try set[table.identity(of: key)] != nil
    }

    func keys<Source: Table>(of table: Source.Type) throws -> KeySet<Source> {
        try KeySet(sets[ObjectIdentifier(table), default: [:]].values.compactMap { $0 as? Source.Key })
    }
}
