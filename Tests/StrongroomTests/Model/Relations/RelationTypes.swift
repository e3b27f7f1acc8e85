import Foundation
import Strongroom

/// Has a list of children in an order, an only child, and a parent, and can be marked.
@Table("customer", in: "objects.sqlite")
struct Customer: Equatable {
    var id: Int64?
    var name: String
    var company: UUID?
    @HasMany var calls: [Call] = []
    @HasOne var card: Badge? = nil
    @BelongsTo var employer: Company? = nil
    @Ignored var isGone = false

    static let hooks: RecordHooks<Customer>? = RecordHooks().deletesOnSave { $0.isGone }
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

/// Belongs to its own kind, always, and goes when it is taken out of a list.
@Table("folder", in: "objects.sqlite")
struct Folder: Equatable {
    var id: String?
    @Column(indexed: true, references: Reference("folder")) var parent: String
    @HasMany var inside: [Folder] = []

    static let relations: Relations<Folder>? = Relations().hasMany(\.$inside, by: \.parent, orphans: .delete)
}

/// Can be marked, and has one picture, of which there may be several.
@Table("album", in: "objects.sqlite")
struct Album: Equatable {
    var id: Int64?
    var artist: Int64?
    @Ignored var isGone = false
    @HasMany var songs: [Song] = []
    @HasOne var picture: Picture? = nil
    @BelongsTo var by: Album? = nil

    static let hooks: RecordHooks<Album>? = RecordHooks().deletesOnSave { $0.isGone }
    static let relations: Relations<Album>? = Relations()
        .hasMany(\.$songs, by: \.album, orphans: .delete)
        .hasOne(\.$picture, by: \.album, orphans: .delete)
        .belongsTo(\.$by, by: \.artist)
}

@Table("song", in: "objects.sqlite")
struct Song: Equatable {
    var id: Int64?
    var album: Int64?
    @HasMany var verses: [Verse] = []

    static let relations: Relations<Song>? = Relations().hasMany(\.$verses, by: \.song, orphans: .delete)
}

@Table("verse", in: "objects.sqlite")
struct Verse: Equatable {
    var id: Int64?
    @Column(references: Reference("song")) var song: Int64?
}

@Table("picture", in: "objects.sqlite")
struct Picture: Equatable {
    var id: Int64?
    var album: Int64?
    var caption = ""
}

/// Has children that cannot be without it, each of which has a place of its own.
@Table("traveller", in: "objects.sqlite")
struct Traveller: Equatable {
    var id: Int64?
    @HasOne var passport: Passport? = nil
    @HasMany var stamps: [Stamp] = []

    static let relations: Relations<Traveller>? = Relations()
        .hasOne(\.$passport, by: \.traveller, orphans: .delete)
        .hasMany(\.$stamps, by: \.traveller, orphans: .delete, position: \.place)
}

@Table("passport", in: "objects.sqlite")
struct Passport: Equatable {
    var id: Int64?
    var label: String
    @Column(unique: true, references: Reference("traveller")) var traveller: Int64 = 0
}

@Table("stamp", in: "objects.sqlite")
struct Stamp: Equatable {
    var id: Int64?
    var country: String
    @Column(references: Reference("traveller")) var traveller: Int64 = 0
    var place = 0
    @HasMany var marks: [Mark] = []

    static let relations: Relations<Stamp>? = Relations().hasMany(\.$marks, by: \.stamp, orphans: .delete)
    static var indexes: [TableIndex] { [TableIndex(on: columns.traveller, columns.place, unique: true)] }
}

@Table("mark", in: "objects.sqlite")
struct Mark: Equatable {
    var id: Int64?
    @Column(references: Reference("stamp")) var stamp: Int64 = 0
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
