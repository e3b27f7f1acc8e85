/// The content that was copied from a damaged file, and the losses.
public struct SalvageReport: Sendable, Equatable {
    /// The content of a table that was copied.
    public struct TableContent: Sendable, Equatable {
        /// The table's name.
        public let name: String
        /// The rows that were copied with all of their values.
        public internal(set) var rowsCopied = 0
        /// The copied rows that no page refers to any more, and that were found by reading every page of the file.
        public internal(set) var rowsFound = 0
        /// The rows that are known to be lost, and of which no part was copied: rows that exist but cannot be read
        /// completely or conflict with others, and, if an index reveals the table's row count, all other missing rows.
        public internal(set) var rowsLost = 0
        /// Whether ``rowsLost`` is the number of all lost rows. Otherwise there are unreadable pages with an unknown
        /// number of rows, and ``rowsLost`` is a lower bound.
        public internal(set) var isLossCounted = true
        /// The unreadable pages with rows, or above pages with rows that were not all found.
        public internal(set) var unreadablePages = 0
        /// The row ids of lost rows, in order: those of the rows counted as lost, and those that are, or may have been,
        /// on the unreadable pages. Empty for a table without row ids.
        public internal(set) var lostRowIDs: [ClosedRange<Int64>] = []
        /// Why some or all rows were not copied, if the reason is not damage; nil otherwise.
        public internal(set) var obstacle: String?

        /// Whether every row was copied.
        public var isComplete: Bool { rowsLost == 0 && unreadablePages == 0 && obstacle == nil }
    }

    /// An object of the schema that could not be created in the new file.
    public struct MissingObject: Sendable, Equatable {
        /// The name of the table, index, view or trigger.
        public let name: String
        /// The engine's error message.
        public let reason: String
    }

    /// Rows whose pages do not identify the table that they belong to.
    public struct LostAndFound: Sendable, Equatable {
        /// The table of the new file that contains them: `lost_and_found`, or with a number appended if the schema has
        /// a table of that name. Its columns are `page`, `candidates` (the tables to which they may belong), `id` (the
        /// row id), `fields` (the number of values) and the values, `c0`, `c1`, and so on. Nil if they were not kept.
        public internal(set) var table: String?
        /// The number of rows.
        public internal(set) var rows = 0
        /// The tables to which they may belong.
        public internal(set) var candidates: Set<String> = []
        /// Whether they may include deleted rows, because the list of unused pages is damaged, too.
        public internal(set) var mayHaveDeletedRows = false
    }

    /// The path of the new file.
    public let path: String
    /// The damaged pages of the old file.
    public let damagedPages: [DamagedPage]
    /// The tables in the order in which they were created, including the shadow tables of full-text and R-tree tables.
    public let tables: [TableContent]
    /// The objects that could not be created.
    public let missingObjects: [MissingObject]
    /// The rows whose pages do not identify the table that they belong to; nil if there are none.
    public let lostAndFound: LostAndFound?
    /// The duration of the salvage.
    public let duration: Duration

    /// The number of rows copied, in all tables.
    public var rowsCopied: Int { tables.reduce(0) { $0 + $1.rowsCopied } }

    /// Whether the new file contains every row and every object of the schema.
    public var isComplete: Bool {
        missingObjects.isEmpty && tables.allSatisfy(\.isComplete) && lostAndFound == nil
    }
}

extension SalvageReport.TableContent {
    /// A description of the losses for people; nil if there are none.
    package var loss: String? {
        var parts: [String] = []
        if !isLossCounted {
            parts.append(
                rowsLost > 0 ? "more than \(rowsLost) lost, how many is unknown" : "how many are lost is unknown")
        } else if rowsLost > 0 {
            parts.append("\(rowsLost) lost")
        }
        if unreadablePages > 0 {
            parts.append("\(unreadablePages.counting("page")) with rows unreadable")
        }
        if let obstacle { parts.append(obstacle) }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }
}

extension SalvageReport.LostAndFound: CustomStringConvertible {
    /// A description for people.
    public var description: String {
        let destination = table.map { "in the table \"\($0)\"" } ?? "not kept"
        let tables = candidates.isEmpty ? "" : "; they may belong to \(candidates.sorted().joined(separator: ", "))"
        return "\(rows.counting("row")) whose table is unknown: \(destination)\(tables)"
            + (mayHaveDeletedRows ? "; deleted rows may be among them" : "")
    }
}

extension SalvageReport: CustomStringConvertible {
    /// A description for people: a line for each table, and one for each loss.
    public var description: String {
        let lines = tables.map { table in
            let found = table.rowsFound > 0 ? " (\(table.rowsFound) of them found by a scan)" : ""
            return "table \"\(table.name)\": \(table.rowsCopied.counting("row")) copied\(found)"
                + (table.loss.map { ", \($0)" } ?? "")
        }
        let missing = missingObjects.map { "\"\($0.name)\" could not be created: \($0.reason)" }
        return (lines + [lostAndFound?.description].compactMap { $0 } + missing).joined(separator: "\n")
    }
}
