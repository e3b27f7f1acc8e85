@Table("message")
struct Message {
    var id: Int64?
    var text: String
}

let message: Message = given()
