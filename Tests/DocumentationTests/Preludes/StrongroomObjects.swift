@Table("contact", in: "addressbook.sqlite")
struct Contact {
    var id: UUID?
    var name: String
    var age: Int
}
