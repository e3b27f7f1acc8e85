/// What was brought over from a damaged file, and what was lost.
public struct SalvageReport: Sendable, Equatable {
    /// What of a table was brought over.
    public struct TableContent: Sendable, Equatable {
        /// The table's name.
        public let name: String
        /// The rows that were copied, each with all of its values.
        public internal(set) var rowsCopied = 0
        /// Those of the copied rows to which no page led any more, and that a look at every page of the file found.
        public internal(set) var rowsFound = 0
        /// The rows that are known to be lost, and of which none was copied in part: those that are there but cannot be
        /// read completely or do not go with others, and all others where an index tells how many the table had.
        public internal(set) var rowsLost = 0
        /// Whether ``rowsLost`` is the number of all lost rows. Otherwise there are unreadable pages, nothing tells how
        /// many rows they had, and at least as many are lost.
        public internal(set) var isLossCounted = true
        /// The pages with rows, or above others with rows that were not all found, that cannot be read.
        public internal(set) var unreadablePages = 0
        /// The row ids under which something was lost, in order: those of the rows that count as lost, and those that
        /// lie, or may have lain, on the unreadable pages. Empty for a table without row ids.
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

    /// Rows of which the pages do not tell which table they belong to.
    public struct LostAndFound: Sendable, Equatable {
        /// The table of the new file that contains them: `lost_and_found`, or with a number behind it where the schema
        /// has one of that name. Its columns are `page`, `candidates` (the tables whose rows they may be), `id` (the
        /// row id), `fields` (how many values there are) and the values, `c0`, `c1`, and so on. Nil when they were not
        /// to be kept.
        public internal(set) var table: String?
        /// How many there are.
        public internal(set) var rows = 0
        /// The tables whose rows they may be.
        public internal(set) var candidates: Set<String> = []
        /// Whether deleted rows may be among them, since the list of unused pages is damaged, too.
        public internal(set) var mayHaveDeletedRows = false
    }

    /// Where the new file lies.
    public let path: String
    /// The damaged pages of the old file.
    public let damagedPages: [DamagedPage]
    /// The tables in the order in which they were made, with those of the engine's own that a full-text or R-tree table
    /// consists of.
    public let tables: [TableContent]
    /// What could not be made.
    public let missingObjects: [MissingObject]
    /// The rows of which the pages do not tell which table they belong to; nil when there are none.
    public let lostAndFound: LostAndFound?
    /// How long it took.
    public let duration: Duration

    /// The rows that were copied, in all tables.
    public var rowsCopied: Int { tables.reduce(0) { $0 + $1.rowsCopied } }

    /// Whether every row and every object of the schema is in the new file.
    public var isComplete: Bool {
        missingObjects.isEmpty && tables.allSatisfy(\.isComplete) && lostAndFound == nil
    }
}

extension SalvageReport.TableContent {
    /// What was lost, for people; nil when nothing was.
    package var loss: String? {
        var parts: [String] = []
        if !isLossCounted {
            parts.append(
                rowsLost > 0 ? "more than \(rowsLost) lost, how many is unknown" : "how many are lost is unknown")
        } else if rowsLost > 0 {
            parts.append("\(rowsLost) lost")
        }
        if unreadablePages > 0 {
            parts.append("\(unreadablePages) \(unreadablePages == 1 ? "page" : "pages") with rows unreadable")
        }
        if let obstacle { parts.append(obstacle) }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }
}

extension SalvageReport.LostAndFound: CustomStringConvertible {
    /// For people.
    public var description: String {
        let place = table.map { "are in the table \"\($0)\"" } ?? "were not kept"
        let tables = candidates.isEmpty ? "" : "; they may belong to \(candidates.sorted().joined(separator: ", "))"
        return "\(rows) rows whose table cannot be told \(place)\(tables)"
            + (mayHaveDeletedRows ? "; deleted rows may be among them" : "")
    }
}

extension SalvageReport: CustomStringConvertible {
    /// For people: a line for each table, and one for each thing that was lost.
    public var description: String {
        let lines = tables.map { table in
            let found = table.rowsFound > 0 ? " (\(table.rowsFound) of them found by a scan)" : ""
            return "table \"\(table.name)\": \(table.rowsCopied) rows copied\(found)"
                + (table.loss.map { ", \($0)" } ?? "")
        }
        let missing = missingObjects.map { "\"\($0.name)\" could not be made: \($0.reason)" }
        return (lines + [lostAndFound?.description].compactMap { $0 } + missing).joined(separator: "\n")
    }
}
