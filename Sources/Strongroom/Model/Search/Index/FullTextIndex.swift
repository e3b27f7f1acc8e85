/// A full-text index of some of a table's columns, which finds rows by the words of their texts.
///
/// ```swift
/// @Table("note", in: "notes.sqlite", fullText: [FullTextIndex(on: "title", "body")])
/// struct Note {
///     var id: Int64?
///     var title: String
///     var body: String
/// }
///
/// let found = try Note.search("café menu").fetch(in: db)
/// ```
///
/// The index contains the words of the texts, not the texts themselves. Triggers update it in the transaction that
/// changes a row. See <doc:Searching>.
public struct FullTextIndex: Sendable {
    /// The index's name among those of its table.
    public let name: String
    /// The names of the indexed columns, in order.
    public let columns: [String]
    /// Splits texts into words.
    public let tokenizer: TextTokenizer
    /// The numbers of characters for which beginnings of words have an index of their own, in ascending order.
    public let prefixes: [Int]
    /// How much a word counts in each column, for the order of ``Table/hits(_:on:index:where:limit:offset:in:)``; empty
    /// for the same in all. It is no part of the file.
    public let weights: [Double]

    /// Declares an index.
    ///
    /// - Parameters:
    ///   - name: The index's name, which distinguishes several indexes of one table: letters A to Z and digits.
    ///   - columns: The names of the indexed columns, at least one. Texts are indexed; a number is indexed as its
    ///     digits, a blob not at all.
    ///   - weights: How much a word counts in each column, such as `[3, 1]` for a title that counts three times; not
    ///     negative. Empty for 1 in all.
    ///   - tokenizer: Splits texts into words. A program without this tokenizer can neither change the indexed columns
    ///     nor search them.
    ///   - prefixes: At most 8 numbers of characters, 1 to 32, for which beginnings of words get an index of their own.
    ///     They make ``SearchQuery/typing(_:)`` faster and the file larger.
    public init(
        _ name: String = "text", on columns: String..., weights: [Double] = [],
        tokenizer: TextTokenizer = .standard, prefixes: [Int] = []
    ) {
        self.weights = weights
        self.name = name
        self.columns = columns
        self.tokenizer = tokenizer
        self.prefixes = Set(prefixes).sorted()
    }

    /// - Throws: ``StrongroomError`` with `invalidName` or `invalidDeclaration` for a declaration that no table can
    ///   have.
    func check(_ table: String) throws {
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: false
            }
        }
        // It is part of other names, which have to be different for different indexes.
        guard isPlain, !name.isEmpty else {
            throw StrongroomError(
                .invalidName,
                """
                The name of a full-text index of "\(table)" has other characters than letters A to Z and digits, or \
                none; give it another name.
                """)
        }
        func refusal(_ message: String) -> StrongroomError {
            StrongroomError(.invalidDeclaration, "The full-text index \"\(name)\" of table \"\(table)\" \(message)")
        }
        guard !columns.isEmpty else { throw refusal("has no columns; name at least one.") }
        for (position, column) in columns.enumerated()
        where Identifier.index(of: column, in: Array(columns[..<position])) != nil {
            throw refusal("names the column \"\(column)\" twice; name it once.")
        }
        guard weights.isEmpty || weights.count == columns.count && weights.allSatisfy({ $0 >= 0 && $0.isFinite }) else {
            throw refusal("has other weights than one for each column, not negative; correct them.")
        }
        guard prefixes.allSatisfy((1...32).contains), prefixes.count <= 8 else {
            throw refusal("has more than 8 prefixes, or one that is not 1 to 32 characters long; correct them.")
        }
        try tokenizer.checkName()
    }
}

extension TableSchema {
    /// - Throws: ``StrongroomError`` with `invalidName` or `invalidDeclaration` for full-text indexes that no table can
    ///   have.
    func checkFullText() throws {
        for (position, index) in fullText.enumerated() {
            try index.check(name)
            guard fullText[..<position].allSatisfy({ !Identifier.areSame($0.name, index.name) }) else {
                throw StrongroomError(
                    .invalidDeclaration,
                    """
                    The table "\(name)" declares two full-text indexes with the name "\(index.name)"; give one another \
                    name.
                    """)
            }
        }
    }
}
