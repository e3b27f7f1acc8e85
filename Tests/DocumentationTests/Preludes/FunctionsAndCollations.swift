@Table("entry")
struct Entry {
    var id: Int64?
    var title: String
    var x: Double
    var y: Double
}

let byLength: Collation = given()
