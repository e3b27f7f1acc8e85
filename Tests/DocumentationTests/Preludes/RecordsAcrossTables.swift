@Table("contact")
struct Contact {
    var id: Int64?
    var name: String
    var phone: String?
    var city: String?
}

@Table("order")
struct Order {
    var id: Int64?
    var contactID: Int64
    var number: String
    var total: Int
}

@Record
struct NameCard {
    var name: String
    var phone: String?
}

@Record
struct MailAddress {
    var name: String
    var city: String?
}

@Record
struct StatementLine {
    var name: String
    var number: String
    var cents: Int
}

var contact: Contact {
    get { given() }
    set {}
}
let imported: Contact = given()
let key: Int64 = 1
