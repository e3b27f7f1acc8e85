@Table("patient")
struct Patient {
    var id: Int64?
    var name: String
    var city: String
    var visits = 0
}

@Table("appointment")
struct Appointment {
    var id: Int64?
    var patient: Int64
    var date: Date
    var minutes: Int
    var note: String?
}

@Table("ward")
struct Ward {
    var id: Int64?
    var name: String
    var parent: Int64?
}

let newYear = Date.now
let pattern = "?[oy]"
let top = "Surgery"
