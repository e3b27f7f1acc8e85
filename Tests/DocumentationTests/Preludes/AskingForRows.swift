@Table("contact")
struct Contact {
    var id: Int64?
    var name: String
    var age: Int
    var city = "Bonn"
    var cityID: Int64?
    var moves = 0
    var calls = 0
    var isActive = true
    var lastSeen: Date
}

@Table("order")
struct Order {
    var id: Int64?
    var contactID: Int64
    var total: Int
}

@Table("city")
struct City {
    var id: Int64?
    var name: String
}

let isByCity = true
let last: Contact = given()
let limit = Date.now

func show(_ page: [Contact]) {}
func export(_ contact: Contact) throws {}
