@Table("contact")
struct Contact: Codable {
    var id: Int64?
    @Column(unique: true) var name: String
    var createdAt: Date
    var city: String?
    @HasMany var phones: [Phone] = []

    static let relations: Relations<Contact>? = Relations().hasMany(\.$phones, by: \.contact, orphans: .delete)
}

@Table("phone")
struct Phone: Codable {
    var id: Int64?
    var number: String
    @Column(references: Reference("contact")) var contact: Int64 = 0
}

var contact: Contact {
    get { given() }
    set {}
}
let list = "[]"
