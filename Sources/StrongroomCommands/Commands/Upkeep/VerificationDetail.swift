import Strongroom

/// The result of a verification, for JSON.
struct VerificationDetail: Encodable, Sendable {
    struct Spellings: Encodable, Sendable {
        let table: String
        let column: String
        let count: Int
    }

    struct Page: Encodable, Sendable {
        let number: Int
        let description: String
    }

    let intact: Bool
    let pages: Int
    let bytes: Int64
    /// Whether the pages have authentication codes; plaintext pages have none.
    let authenticated: Bool
    let damagedPages: [Page]
    let objections: [String]
    let foreignKeyViolations: Int
    /// What was left out, because a function or a collation is missing.
    let unchecked: [String]
    /// The columns with values that are refused when they are read.
    let otherSpellings: [Spellings]

    init(_ report: VerificationReport) {
        intact = report.isIntact
        pages = report.pages
        bytes = report.bytes
        authenticated = report.isAuthenticated
        damagedPages = report.damagedPages.map { Page(number: $0.number, description: $0.description) }
        objections = report.objections
        foreignKeyViolations = report.foreignKeyViolations.count
        unchecked = report.unchecked
        otherSpellings = report.otherSpellings.map {
            Spellings(table: $0.table, column: $0.column, count: $0.count)
        }
    }

    /// The maximum number of items of a kind in the text.
    static let most = 5

    /// The damage, as text. If there are damaged pages, the engine's messages follow from them and are omitted.
    var shortDamage: String {
        guard !damagedPages.isEmpty else { return Self.cut(objections, of: objections.count) }
        return Self.cut(damagedPages.map(\.description), of: damagedPages.count)
    }

    private static func cut(_ lines: [String], of count: Int) -> String {
        let shown = lines.prefix(most).joined(separator: "; ")
        return count > most ? "\(shown); and \(HumanReadable.count(count - most)) more, which --json lists" : shown
    }
}

extension VerificationReport {
    /// A description.
    var summary: String {
        let size = "\(HumanReadable.count(pages, "page")), \(HumanReadable.bytes(bytes))"
        guard isIntact else {
            return damagedPages.isEmpty
                ? "\(size), the engine reports errors" : "\(HumanReadable.count(damagedPages.count)) of \(size) damaged"
        }
        let strays = foreignKeyViolations.count
        let values = strays == 1 ? "a value references a row" : "\(strays) values reference rows"
        let keys = strays == 0 ? "" : "; \(values) that \(strays == 1 ? "does" : "do") not exist"
        let leftOut = unchecked.isEmpty ? "" : "; not checked: \(unchecked.joined(separator: "; "))"
        let spellings = otherSpellings.map {
            "; \(HumanReadable.count($0.count, "value")) of \($0.table).\($0.column) in another spelling, which the "
                + "library does not read"
        }
        return "\(size) intact\(keys)\(spellings.joined())\(leftOut)"
    }
}
