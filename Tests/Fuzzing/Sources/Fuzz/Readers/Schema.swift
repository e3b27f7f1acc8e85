@testable import Strongroom

extension Reader {
    /// The texts of a schema that another program has written.
    static let schema = Reader("schema", longest: 1 << 11) { input in
        let kind = input.byte() % 4
        let sql = input.text()
        let tokens = [SQLToken](sql: sql)
        require(tokens.sql.utf8.elementsEqual(sql.utf8), "the tokens are the text")
        let normalised = tokens.normalised
        require(
            !normalised.isEmpty || tokens.allSatisfy { $0.kind == .space || $0.isSign(";") || $0.name == "" },
            "no token is lost")
        switch kind {
        case 0: _ = StoredFullText.indexed(in: sql)
        case 1: _ = MissingName(sql)
        default: readTable(sql)
        }
    }

    private static func readTable(_ sql: String) {
        guard var text = CreateTableText(sql) else { return }
        require(text.sql.utf8.elementsEqual(sql.utf8), "a statement is unchanged")
        _ = (text.checks, text.isWithoutRowID, text.sql(named: "n", insteadOf: "t"))
        for item in text.items {
            _ = CreateTableText.withPlainDefault(item)
            _ = CreateTableText.column(item)
        }
        text.rename("a", to: "b", of: "t", own: true)
        require(CreateTableText(text.sql) != nil, "a statement with another name is one")
    }
}
