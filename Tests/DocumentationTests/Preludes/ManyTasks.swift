import Logging

@Table("contact")
struct Contact {
    var id: Int64?
    var name: String
    var phone: String?
    var calls = 0
}

actor Badge {
    func show(_ count: Int) {}
}

let badge = Badge()
let ids: [Int64] = []

func send(_ contact: Contact) async throws {}
func makeReport(_ db: borrowing ReadTransaction) throws -> Int { 0 }
