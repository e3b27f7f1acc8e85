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
