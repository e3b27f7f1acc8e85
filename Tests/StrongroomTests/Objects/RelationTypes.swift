#if Macros
import Foundation
import Strongroom

/// Has a list of children in an order, an only child, and a parent.
@Table("customer", in: "objects.sqlite")
struct Customer: Equatable {
    var id: Int64?
    var name: String
    var company: UUID?
    @HasMany var calls: [Call] = []
    @HasOne var card: Badge? = nil
    @BelongsTo var employer: Company? = nil

    static let relations: Relations<Customer>? = Relations()
        .hasMany(\.$calls, by: \.customer, orphans: .delete, position: \.place)
        .hasOne(\.$card, by: \.customer, orphans: .delete)
        .belongsTo(\.$employer, by: \.company)
}

/// A child that cannot be without its parent, and has children itself.
@Table("call", in: "objects.sqlite")
struct Call: Equatable {
    var id: Int64?
    var text: String
    @Column(indexed: true, references: Reference("customer")) var customer: Int64 = 0
    var place = 0
    @HasMany var notes: [Remark] = []
    @BelongsTo var owner: Customer? = nil

    static let relations: Relations<Call>? = Relations()
        .hasMany(\.$notes, by: \.call, orphans: .detach)
        .belongsTo(\.$owner, by: \.customer)
}

/// A child that can be without its parent.
@Table("remark", in: "objects.sqlite")
struct Remark: Equatable {
    var id: Int64?
    var text: String
    @Column(references: Reference("call")) var call: Int64?
}

/// The one child that there can be.
@Table("card", in: "objects.sqlite")
struct Badge: Equatable {
    var id: UUID?
    var label: String
    @Column(unique: true, references: Reference("customer")) var customer: Int64?
}

/// A parent.
@Table("company", in: "objects.sqlite")
struct Company: Equatable {
    var id: UUID?
    var name: String
    @HasMany var staff: [Customer] = []

    static let relations: Relations<Company>? = Relations().hasMany(\.$staff, by: \.company)
}

/// Belongs to its own kind.
@Table("place", in: "objects.sqlite")
struct Place: Equatable {
    var id: Int64?
    var name: String
    @Column(indexed: true, references: Reference("place")) var parent: Int64?
    @HasMany var inside: [Place] = []
    @BelongsTo var around: Place? = nil

    static let relations: Relations<Place>? = Relations()
        .hasMany(\.$inside, by: \.parent)
        .belongsTo(\.$around, by: \.parent)
}

/// Has children in another database.
@Table("sender", in: "objects.sqlite")
struct Sender {
    var id: Int64?
    @HasMany var parcels: [Consignment] = []

    static let relations: Relations<Sender>? = Relations().hasMany(\.$parcels, by: \.sender)
}

@Table("consignment", in: "parcels.sqlite")
struct Consignment {
    var id: Int64?
    var sender: Int64?
}
#endif
