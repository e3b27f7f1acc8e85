@Table("contact")
struct Contact {
    var id: Int64?
    var name: String
    @Column(unique: true) var email: String?
    var phone: String?
    var calls = 0
    var age = 0
    var changed: Date = .distantPast
    @Ignored var isGone = false
}

@Table("price")
struct Price {
    var id: Int64?
    var shop: String
    var article: String
    var cents: Int?
}

var contact: Contact {
    get { given() }
    set {}
}
var friends: [Contact] {
    get { given() }
    set {}
}
let contacts: [Contact] = []
let other: Contact = given()
let prices: [Price] = []
let feed = "[]"
let mine: Document = given()
let key: Int64 = 1
let limit = 5
let text = "SELECT name FROM contact"
