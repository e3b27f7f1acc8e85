@Table("device")
struct Device {
    var id: UUID?
    var name: String
}

@Table("reading")
struct Reading {
    var id: Int64?
    var device: UUID
}

@Table("receipt")
struct Receipt {
    var id: Int64?
    var price: Decimal
}

let now = Date.now
let moment = Date.now
let zone: Zone = given()
let rome: Zone = given()
let limit: Decimal = 100
