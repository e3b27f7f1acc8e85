@Table("patient", in: "clinic.sqlite", fullText: [FullTextIndex(on: "name")])
struct Patient {
    var id: Int64?
    var name: String
}

let clinic = "a"
let closedClinic = "b"
let place = "/srv/backups"
