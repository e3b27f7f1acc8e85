/// A save that follows relations, or a deletion: which rows it has come to, each once, and what is left to do at its
/// end.
final class Cascade {
    let connection: Connection
    /// The rows that it has come to.
    private var entered = KeySets()
    /// The rows whose records are among the values that are saved. Nothing that is saved is deleted along with
    /// something else.
    private let present: KeySets
    /// The rows of records that are marked to be deleted.
    private var marked = KeySets()
    /// The rows that belong to a list already, by the column of their reference.
    private var linked: [String: KeySets] = [:]
    private var remaining: [() throws -> Void] = []

    init(_ connection: Connection, present: KeySets = KeySets()) {
        self.connection = connection
        self.present = present
    }

    var db: WriteTransaction { WriteTransaction(connection) }

    /// The deletion of something that the save does away with.
    var deletion: Cascade { Cascade(connection, present: present) }

    /// Notes a row.
    ///
    /// - Returns: Whether it is come to for the first time.
    func enter<Source: Table>(_ table: Source.Type, _ key: Source.Key) throws -> Bool {
        try entered.insert(key, of: table)
    }

    /// The places of records that it has not come to, which it now has; those without a key among them.
    func enter<Source: Table>(_ table: Source.Type, _ records: [Source.RecordType]) throws -> [Int] {
        try records.indices.filter { place in
            guard let key = Source.key(of: records[place]) else { return true }
            return try enter(table, key)
        }
    }

    /// The keys of a table's rows that are among what is saved.
    func present<Source: Table>(_ table: Source.Type) throws -> KeySet<Source> { try present.keys(of: table) }

    func mark<Source: Table>(_ table: Source.Type, _ key: Source.Key) throws { _ = try marked.insert(key, of: table) }

    func isMarked<Source: Table>(_ table: Source.Type, _ key: Source.Key) throws -> Bool {
        try marked.contains(key, of: table)
    }

    /// Notes that a row belongs to a list.
    ///
    /// - Returns: Whether it belonged to none before.
    func link<Source: Table>(_ table: Source.Type, _ key: Source.Key, by column: String) throws -> Bool {
        try linked[column, default: KeySets()].insert(key, of: table)
    }

    /// Puts off work until everything is saved.
    func atTheEnd(_ work: @escaping () throws -> Void) {
        remaining.append(work)
    }

    func finish() throws {
        for work in remaining { try work() }
    }
}

/// Keys of several tables, told apart as the engine does.
struct KeySets {
    private var sets: [ObjectIdentifier: [[Value]: any TableKey]] = [:]

    /// - Returns: Whether it is new.
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
