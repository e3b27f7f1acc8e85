import Strongroom

/// The result of a verification, for JSON.
struct VerificationDetail: Encodable, Sendable {
    struct Page: Encodable, Sendable {
        let number: Int
        let description: String
    }

    let whole: Bool
    let pages: Int
    let bytes: Int64
    /// Whether the pages have authentication codes; plaintext pages have none.
    let authenticated: Bool
    let damagedPages: [Page]
    let objections: [String]
    let foreignKeyViolations: Int
    /// What was left out, because a function or a collation is missing.
    let unchecked: [String]

    init(_ report: VerificationReport) {
        whole = report.isWhole
        pages = report.pages
        bytes = report.bytes
        authenticated = report.isAuthenticated
        damagedPages = report.damagedPages.map { Page(number: $0.number, description: $0.description) }
        objections = report.objections
        foreignKeyViolations = report.foreignKeyViolations.count
        unchecked = report.unchecked
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
        return count > most ? "\(shown); and \(HumanReadable.count(count - most)) more, which --json tells" : shown
    }
}

extension VerificationReport {
    /// A description.
    var words: String {
        let size = "\(HumanReadable.count(pages, "page")), \(HumanReadable.bytes(bytes))"
        guard isWhole else {
            return damagedPages.isEmpty
                ? "\(size), the engine reports errors" : "\(HumanReadable.count(damagedPages.count)) of \(size) damaged"
        }
        let strays = foreignKeyViolations.count
        let values = strays == 1 ? "a value references a row" : "\(strays) values reference rows"
        let keys = strays == 0 ? "" : "; \(values) that \(strays == 1 ? "does" : "do") not exist"
        let leftOut = unchecked.isEmpty ? "" : "; not checked: \(unchecked.joined(separator: "; "))"
        return "\(size) whole\(keys)\(leftOut)"
    }
}
