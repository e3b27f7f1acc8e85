import Foundation
import Logging
import Strongroom
import StrongroomObjects
import StrongroomTesting

/// An object that saves itself in a database that it names.
@Table("person", in: "objects.sqlite")
struct Player: Equatable {
    var id: Int64?
    var name: String
    @Column(default: 0) var age = 0
    @Column(unique: true) var email: String?
    @Ignored var isSelected = false

    static var indexes: [TableIndex] { [TableIndex(on: columns.name)] }
}

/// An object of another database.
@Table("parcel", in: "parcels.sqlite")
struct Parcel: Equatable {
    var id: UUID?
    var label: String
}

/// An object with a key of several columns.
@Table("square", in: "objects.sqlite")
struct Square: Equatable {
    @Column(primaryKey: true) var row: Int
    @Column(primaryKey: true) var column: Int
    var group: String
}

/// An object of a database that is not named.
@Table("scrap")
struct Scrap: Equatable {
    var id: Int64?
    var text: String
}

/// Where a test's objects lie: three databases of its own, whose schema no migrator keeps.
struct ObjectHome: Sendable {
    let directory: TemporaryDirectory
    let stores: Stores
    let log = CollectedLog()
    let key = Key.random()

    init(level: Logger.Level = .info) throws {
        directory = try TemporaryDirectory()
        let place = Place(directory: directory, logger: log.logger(level), key: key)
        stores = try Stores(Family(place: place), Parcels(place: place), Unnamed(place: place))
    }

    /// Runs work whose objects lie here, and closes the stores.
    static func run(_ work: @Sendable (ObjectHome) async throws -> Void) async throws {
        let home = try ObjectHome()
        try await home.use { try await work(home) }
        try await home.stores.closeAll()
    }

    /// Runs work whose objects lie here.
    func use<T: Sendable>(_ work: () async throws -> T) async throws -> T {
        try await Stores.$current.withValue(stores) { try await work() }
    }

    /// The store of ``Player``.
    var store: Store {
        get async throws { try await stores.open("objects.sqlite") }
    }

    struct Place: Sendable {
        let directory: TemporaryDirectory
        let logger: Logger
        let key: Key
    }

    private struct Family: PlacedConfiguration {
        static let target = "objects"
        let place: Place
    }

    private struct Parcels: PlacedConfiguration {
        static let target = "parcels"
        let place: Place
    }

    private struct Unnamed: PlacedConfiguration {
        static let target = "strongroom"
        let place: Place
    }
}

private protocol PlacedConfiguration: Configuration {
    var place: ObjectHome.Place { get }
}

extension PlacedConfiguration {
    func filePath(for database: DatabaseName) -> String? { place.directory.path(database.fileName) }
    func keyChain(for database: DatabaseName) throws -> KeyChain { try KeyChain(place.key) }
    func logger(for database: DatabaseName) -> Logger? { place.logger }
    func settings(for database: DatabaseName) -> StoreSettings { StoreSettings(readers: 2) }
}
