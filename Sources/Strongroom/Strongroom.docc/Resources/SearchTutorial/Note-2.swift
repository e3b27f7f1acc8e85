import Strongroom

@Table("note", fullText: [FullTextIndex(on: "title", "body", weights: [3, 1])])
struct Note {
    var id: Int64?
    var title: String
    var body: String
    var isDone = false
}
