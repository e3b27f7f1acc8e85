import Strongroom

@Table("note")
struct Note {
    var id: Int64?
    var title: String
    var body: String
    var isDone = false
}
