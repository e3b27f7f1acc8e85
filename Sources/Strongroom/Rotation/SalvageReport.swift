/// What was brought over from a damaged file, and what was lost.
public struct SalvageReport: Sendable, Equatable {
    /// What of a table was brought over.
    public struct TableContent: Sendable, Equatable {
        /// The table's name.
        public let name: String
        /// The rows that were copied, each with all of its values.
        public internal(set) var rowsCopied = 0
        /// The rows that are there but of which a part cannot be read. None was copied in part.
        public internal(set) var rowsLost = 0
        /// The pages that led to rows and cannot be read; how many rows there were is not known.
        public internal(set) var unreadablePages = 0
        /// The row ids under which something was lost, in order: those of the rows that count as lost, and those that lie, or may have lain, on
        /// the unreadable pages. Empty for a table without row ids.
        public internal(set) var lostRowIDs: [ClosedRange<Int64>] = []
        /// Why nothing, or not all, was copied, where it is not damage; nil otherwise.
        public internal(set) var obstacle: String?

        /// Whether every row was copied.
        public var isComplete: Bool { rowsLost == 0 && unreadablePages == 0 && obstacle == nil }
    }

    /// Something in the schema that could not be made in the new file.
    public struct MissingObject: Sendable, Equatable {
        /// The name of the table, index, view or trigger.
        public let name: String
        /// What the engine says.
        public let reason: String
    }

    /// Where the new file lies.
    public let path: String
    /// The damaged pages of the old file.
    public let damagedPages: [DamagedPage]
    /// The tables in the order in which they were made, with those of the engine's own that a full-text or R-tree table consists of.
    public let tables: [TableContent]
    /// What could not be made.
    public let missingObjects: [MissingObject]
    /// How long it took.
    public let duration: Duration

    /// The rows that were copied, in all tables.
    public var rowsCopied: Int { tables.reduce(0) { $0 + $1.rowsCopied } }

    /// Whether every row and every object of the schema is in the new file.
    public var isComplete: Bool { missingObjects.isEmpty && tables.allSatisfy(\.isComplete) }
}

extension SalvageReport: CustomStringConvertible {
    /// For people: a line for each table, and one for each thing that was lost.
    public var description: String {
        let lines = tables.map { table in
            var line = "table «\(table.name)»: \(table.rowsCopied) rows copied"
            if table.rowsLost > 0 { line += ", \(table.rowsLost) lost" }
            if table.unreadablePages > 0 { line += ", \(table.unreadablePages) pages with rows unreadable" }
            if let obstacle = table.obstacle { line += "; \(obstacle)" }
            return line
        }
        return (lines + missingObjects.map { "«\($0.name)» could not be made: \($0.reason)" }).joined(separator: "\n")
    }
}

/// How far a salvage has come.
public struct SalvageProgress: Sendable, Hashable {
    /// The tables that are done.
    public let tablesDone: Int
    /// The tables of the file.
    public let tables: Int
    /// The rows that have been copied.
    public let rowsCopied: Int
}
