/// A page of a file whose content is damaged.
public struct DamagedPage: Sendable, Hashable {
    /// The object that a page belongs to.
    public enum Owner: Sendable, Hashable {
        /// The schema table, without which no table or index can be found.
        case schema
        /// A table, including its overflow pages.
        case table(String)
        /// An index. It can be rebuilt from its table: drop it and create it again.
        case index(String, table: String)
        /// The freelist, or an unused page; no row is lost.
        case unused
        /// The pointer map, which `auto_vacuum` uses; no row is lost.
        case pointerMap
        /// Unknown: the page that references it is damaged, too, or the schema cannot be read.
        case unknown
    }

    /// The page's number; 1 is the first.
    public let number: Int
    /// The object that it belongs to.
    public let owner: Owner
}

extension [DamagedPage] {
    /// Whether a page of the schema is among them.
    package var hasSchema: Bool { contains { $0.number == 1 || $0.owner == .schema } }
}

extension DamagedPage: CustomStringConvertible {
    /// A description such as `page 12 of table "contact"`.
    public var description: String {
        switch owner {
        case .schema: "page \(number) of the schema"
        case .table(let name): "page \(number) of table \"\(name)\""
        case .index(let name, let table): "page \(number) of index \"\(name)\" of table \"\(table)\""
        case .unused: "page \(number), which is not in use"
        case .pointerMap: "page \(number), which is a pointer map page"
        case .unknown: "page \(number), whose owner is unknown"
        }
    }
}
