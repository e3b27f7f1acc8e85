import Strongroom

/// The result of a salvage, as JSON and as text.
struct SalvageDetail: Encodable {
    struct Table: Encodable {
        let name: String
        let complete: Bool
        let rowsCopied: Int
        /// The copied rows that were found by a search of all pages.
        let rowsFound: Int
        let rowsLost: Int
        /// Whether `rowsLost` is exact; otherwise it is a lower bound.
        let lossCounted: Bool
        let unreadablePages: Int
        /// The first and last row id of each range in which rows were lost.
        let lostRowIDs: [[Int64]]
        let obstacle: String?
    }

    struct Missing: Encodable {
        let name: String
        let reason: String
    }

    struct Page: Encodable {
        let number: Int
        let description: String
    }

    struct LostAndFound: Encodable {
        let table: String?
        let rows: Int
        let candidates: [String]
        let mayHaveDeletedRows: Bool
    }

    let file: String
    let complete: Bool
    let rows: Int
    let tables: [Table]
    let missing: [Missing]
    let lostAndFound: LostAndFound?
    let damagedPages: [Page]
    let seconds: Double

    init(_ report: SalvageReport) {
        file = report.path
        complete = report.isComplete
        rows = report.rowsCopied
        tables = report.tables.map { table in
            Table(
                name: table.name, complete: table.isComplete, rowsCopied: table.rowsCopied, rowsFound: table.rowsFound,
                rowsLost: table.rowsLost, lossCounted: table.isLossCounted, unreadablePages: table.unreadablePages,
                lostRowIDs: table.lostRowIDs.map { [$0.lowerBound, $0.upperBound] }, obstacle: table.obstacle)
        }
        missing = report.missingObjects.map { Missing(name: $0.name, reason: $0.reason) }
        lostAndFound = report.lostAndFound.map { found in
            LostAndFound(
                table: found.table, rows: found.rows, candidates: found.candidates.sorted(),
                mayHaveDeletedRows: found.mayHaveDeletedRows)
        }
        damagedPages = report.damagedPages.map { Page(number: $0.number, description: $0.description) }
        seconds = report.duration / .seconds(1)
    }
}

extension SalvageDetail {
    /// The maximum number of items of a kind in the text.
    private static let most = 20

    /// Prints the result.
    func show(_ report: SalvageReport) {
        let console = CommandSession.current.console
        let pages = damagedPages.isEmpty ? "no damaged page" : HumanReadable.count(damagedPages.count, "damaged page")
        let amount =
            "\(HumanReadable.count(rows, "row")) of \(HumanReadable.count(tables.count, "table")), \(pages)"
        console.write("Salvaged: \(file, .bold), \(amount), in \(HumanReadable.duration(report.duration))")
        let found = tables.reduce(0) { $0 + $1.rowsFound }
        if found > 0 {
            console.write("  \(HumanReadable.count(found, "row")) found by a search of all pages")
        }
        let losses = report.tables.compactMap { table in
            table.loss.map { "\(table.name): \(HumanReadable.count(table.rowsCopied, "row")) copied; \($0)" }
        }
        list(losses, console)
        if let aside = report.lostAndFound { console.write("  \(aside.description, .red)") }
        list(missing.map { "\($0.name) could not be created: \($0.reason)" }, console)
    }

    private func list(_ lines: [String], _ console: Console) {
        for line in lines.prefix(Self.most) { console.write("  \(line, .red)") }
        if lines.count > Self.most {
            console.write("  and \(HumanReadable.count(lines.count - Self.most)) more; --json lists all")
        }
    }

    /// Why the salvage is incomplete.
    var incompleteness: String {
        let hit = tables.filter { !$0.complete }.map(\.name)
        var parts: [String] = []
        if !hit.isEmpty {
            let more = hit.count > 5 ? " and \(hit.count - 5) more" : ""
            parts.append("not every row could be read from \(hit.prefix(5).joined(separator: ", "))\(more)")
        }
        if let rows = lostAndFound?.rows {
            parts.append("the table of \(HumanReadable.count(rows, "row")) cannot be determined")
        }
        if !missing.isEmpty {
            parts.append("\(HumanReadable.count(missing.count, "object")) of the schema could not be created")
        }
        return """
            The new file is at "\(file)" and intact, but \(parts.joined(separator: "; ")). Compare it with a \
            backup, and keep the damaged file until then.
            """
    }
}
