@Table("contact")
struct Contact {
    var id: Int64?
    var name: String
    @Column(unique: true) var email: String
}

let contact: Contact = given()
