public import Strongroom

/// A table that @Table makes, with every kind of column name.
@Table("made \"contact\"", in: "addressbook.sqlite")
struct MadeContact: Equatable {
    var id: Int64?
    var name: String
    @Column("e-mail", unique: true) var email: String
    var `order`: Int
    @Column("say \"hi\"") var `default`: String?
    var visits = 0
    @Ignored var isSelected = false
    @Ignored var note: String?

    var shout: String { name.uppercased() }
    static let limit = 3

    static var indexes: [TableIndex] { [TableIndex(on: columns.name)] }
}

/// A further table of the same records.
@Table("archive", of: MadeContact.self)
enum MadeArchive {}

/// A record alone: some columns of the table.
@Record
struct MadeCard: Equatable {
    var name: String
    @Column("e-mail") var email: String
}

/// A key that the program gives and that does not change.
@Table("setting")
struct MadeSetting: Equatable {
    @Column(primaryKey: true) let name: String
    @Column(default: 7) var value: Int?
    var changes = 0 {
        didSet { previous = oldValue }
    }
    @Ignored var previous: Int? = nil
}

/// A key that never comes back.
@Table("ticket")
struct MadeTicket {
    @Column(autoincrement: true) var id: Int?
    var text: String
}

/// Names of the library and of Swift that mean something else here.
enum Shadowing {
    struct Column {}
    struct Row {}
    struct TableSchema {}
    struct Bindings {}
    struct Record {}
    struct String {}
    struct Int {}

    @Table("shadowed")
    struct Shadowed {
        var id: Int64?
        var text: Swift.String
        var ratio = 0.5
    }
}

@Table("hidden")
private struct HiddenTable {
    var id: Int64?
    private var secret = "s"

    init() {}

    static func samples() -> [HiddenTable] { [HiddenTable(), HiddenTable()] }
}

@Table("shown")
public struct ShownTable {
    public var id: Int64?
    var inner: InnerKind = .one
    private var secret: SecretKind = .two

    enum InnerKind: Int, ColumnValue { case one, two }
    enum SecretKind: Int, ColumnValue { case one, two }

    public init() {}
}

/// What the private table is seen to do, for the tests in another file.
enum HiddenTableAccess {
    static var creation: TableSchema { HiddenTable.schema }

    static func insertSamples(_ store: Store) async throws -> Int {
        try await store.write { db in
            for sample in HiddenTable.samples() { _ = try HiddenTable.insert(sample, in: db) }
        }
        return try await store.read { db in try HiddenTable.where { $0.secret == "s" }.count(in: db) }
    }
}
