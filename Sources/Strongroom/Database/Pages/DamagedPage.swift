/// A page of a file that is not as the engine wrote it.
public struct DamagedPage: Sendable, Hashable {
    /// What a page belongs to.
    public enum Owner: Sendable, Hashable {
        /// The table of tables and indexes: without it nothing else can be found.
        case schema
        /// A table, with the pages of its long values.
        case table(String)
        /// An index. It can be made anew from its table: drop it and create it again.
        case index(String, table: String)
        /// The list of unused pages, or one of them; no row is lost.
        case unused
        /// What the engine keeps to make a file shorter (`auto_vacuum`); no row is lost.
        case pointerMap
        /// It cannot be told: the page that leads to it is damaged, too, or the schema cannot be read.
        case unknown
    }

    /// The page's number; 1 is the first.
    public let number: Int
    /// What it belongs to.
    public let owner: Owner
}

extension DamagedPage: CustomStringConvertible {
    /// For people, such as `page 12 of table "contact"`.
    public var description: String {
        switch owner {
        case .schema: "page \(number) of the schema"
        case .table(let name): "page \(number) of table \"\(name)\""
        case .index(let name, let table): "page \(number) of index \"\(name)\" of table \"\(table)\""
        case .unused: "page \(number), which is not in use"
        case .pointerMap: "page \(number), which only helps to make the file shorter"
        case .unknown: "page \(number), whose owner cannot be told"
        }
    }
}
