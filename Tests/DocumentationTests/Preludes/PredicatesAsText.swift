import StrongroomObjects

@Table("contact")
struct Contact {
    var id: Int64?
    var name: String
    var age: Int
    var email: String?
}

let prefix = "Ad"
let limit = 30
