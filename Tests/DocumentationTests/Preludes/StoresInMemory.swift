@Table("contact")
struct Contact {
    var id: Int64?
    var name: String
}

@Table("phone")
struct Phone {
    var id: Int64?
    var number: String
}
