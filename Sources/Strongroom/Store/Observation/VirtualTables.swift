/// Tables that a commit can change without naming them, or whose reads need not name every table that they read.
///
/// A virtual table reads and writes other tables by statements of its own, of which the engine reports only those that
/// it prepares at that time: a full-text index reads the table that it indexes, and writes its shadow tables. Tables of
/// the engine's own, such as `sqlite_sequence`, are written without a report. So each commit of another process counts
/// for the observers of such a table.
struct VirtualTables: Sendable {
    /// In lower case.
    private var names: Set<String>

    /// Tables of every connection that show the content of others.
    private static let builtIn: Set<String> = ["dbstat"]

    /// - Parameter names: The names of the virtual tables.
    init(_ names: [String] = []) {
        self.names = Set(names.map(TableUse.name))
    }

    /// - Parameter table: The name of a table, in lower case.
    func contains(_ table: String) -> Bool {
        if table.hasPrefix("sqlite_") { return table != "sqlite_master" }
        // Shadow tables begin with the name of theirs.
        return names.contains(table) || Self.builtIn.contains(table) || names.contains { table.hasPrefix("\($0)_") }
    }

    mutating func formUnion(_ other: VirtualTables) {
        names.formUnion(other.names)
    }
}

extension Connection {
    private final class KnownVirtualTables {  // guarded by the slot, as the connection is
        var version: Value?
        var names: [String] = []
    }

    /// The virtual tables of the connection's schema, which is read again when it has changed.
    ///
    /// Without those of the library's own full-text indexes: their triggers name the index in each commit that writes
    /// the words of an indexed column, and their own statements read nothing else.
    func virtualTables() throws -> VirtualTables {
        let known = attachments.object(KnownVirtualTables())
        let version = try ownValue("PRAGMA schema_version")
        if version != known.version {
            known.version = nil
            known.names = try virtualNames(in: "main.sqlite_master")
            known.version = version
        }
        // These have no version that other connections change.
        return VirtualTables(known.names + (try virtualNames(in: "sqlite_temp_master")))
    }

    private func virtualNames(in schema: String) throws -> [String] {
        try ownRows("SELECT name FROM \(schema) WHERE type = 'table' AND rootpage = 0").compactMap { $0[0].asText }
            .filter { !TableUse.name($0).hasPrefix(FullTextTable.prefix) }
    }
}
