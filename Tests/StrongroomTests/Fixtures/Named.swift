import Strongroom

/// A table whose keys are texts that the program gives.
@Table("named")
struct Named: Equatable {
    @Column(primaryKey: true) var name: String?
    var size: Int

    init(_ name: String?, _ size: Int = 0) {
        self.name = name
        self.size = size
    }
}

/// A table with columns that have defaults and may be NULL, and with two unique columns.
@Table("note")
struct Note: Equatable {
    var id: Int64?
    @Column(unique: true) var title: String?
    var slug: String?
    @Column(default: "calm") var mood: String?
    @Column(default: 3) var level: Int?
    @Column(default: [0, 255]) var code: [UInt8]?

    static var indexes: [TableIndex] {
        [TableIndex(on: columns.slug, unique: true), TableIndex(on: columns.mood, columns.level, unique: true)]
    }

    init(
        id: Int64? = nil, _ title: String?, slug: String? = nil, mood: String? = nil, level: Int? = nil,
        code: [UInt8]? = nil
    ) {
        (self.id, self.title, self.slug) = (id, title, slug)
        (self.mood, self.level, self.code) = (mood, level, code)
    }
}
