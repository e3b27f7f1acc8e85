import Strongroom
import TestData

/// The record of the measures of full-text search.
@Table("document", fullText: [FullTextIndex(on: "title", "body")])
struct Document {
    var id: Int64?
    var title: String
    var body: String
}

extension Document {
    init(_ document: TestDocument) {
        title = document.title
        body = document.body
    }
}

/// The same table with an index that has beginnings of words by themselves, as search fields need it.
@Table("document", fullText: [FullTextIndex(on: "title", "body", prefixes: [1, 2, 3])])
struct TypedDocument {
    var id: Int64?
    var title: String
    var body: String
}

extension TypedDocument {
    init(_ document: TestDocument) {
        title = document.title
        body = document.body
    }
}
