import Strongroom

/// What a check found, for scripts.
struct VerificationDetail: Encodable, Sendable {
    struct Page: Encodable, Sendable {
        let number: Int
        let description: String
    }

    let whole: Bool
    let pages: Int
    let bytes: Int64
    /// Whether the pages have authentication codes; those of plaintext have none.
    let authenticated: Bool
    let damagedPages: [Page]
    let objections: [String]
    let foreignKeyViolations: Int

    init(_ report: VerificationReport) {
        whole = report.isWhole
        pages = report.pages
        bytes = report.bytes
        authenticated = report.isAuthenticated
        damagedPages = report.damagedPages.map { Page(number: $0.number, description: $0.description) }
        objections = report.objections
        foreignKeyViolations = report.foreignKeyViolations.count
    }

    /// What is wrong, for people.
    var damage: [String] { damagedPages.map(\.description) + objections }
}

extension VerificationReport {
    /// For people.
    var words: String {
        let size = "\(HumanReadable.count(pages)) pages, \(HumanReadable.bytes(bytes))"
        guard isWhole else {
            return damagedPages.isEmpty
                ? "\(size), the engine objects" : "\(HumanReadable.count(damagedPages.count)) of \(size) damaged"
        }
        let strays = foreignKeyViolations.count
        let keys = strays == 0 ? "" : "; \(strays) values point to rows that are not there"
        return "\(size) whole\(keys)"
    }
}
