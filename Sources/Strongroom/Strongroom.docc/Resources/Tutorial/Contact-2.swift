import Strongroom

@Table("contact")
struct Contact {
    var id: Int64?
    var name: String
    @Column(unique: true) var email: String
    var phone: String?
}
