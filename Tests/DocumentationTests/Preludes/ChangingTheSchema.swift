@Table("contact")
struct Contact {
    var id: Int64?
    var name: String
    var email: String
    var age = 0
}

let contact: Contact = given()
