@Table("contact")
struct Contact {
    var id: Int64?
    var name: String
    var phone: String?
}

@Table("phone")
struct Phone {
    var id: Int64?
    var number: String
}

@Table("letter")
struct Letter {
    var id: Int64?
    var text: String
}

@Table("trace")
struct Trace {
    var id: Int64?
}

struct TooOld: Error {}

let keepsTrace = true
