@testable import Strongroom

extension Reader {
    /// The text of a page's position, which clients of a service return.
    static let cursor = Reader("cursor", longest: 1 << 12) { input in
        let cursor = try PageCursor(input.text())
        let again = try PageCursor(cursor.description)
        require(again == cursor && again.description == cursor.description, "a cursor is read as it is written")
        let order = PageCursor.Order(table: "note", terms: ["id", "text"])
        require((try? cursor.values(in: order))?.count ?? 2 == 2, "a cursor has a value for each term of its order")
    }
}
