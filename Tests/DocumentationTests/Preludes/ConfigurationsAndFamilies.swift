@Table("entry")
struct Entry {
    var id: Int64?
    var text: String
}

enum Paths {
    static let data = "/srv/data"
}

let directory = "/srv/data"
let secret: @Sendable (DatabaseName) async throws -> String = given()
let user = "alice"

// A build without the trait ConfigReader has none of these. Programs/ClinicService calls the library's own.
struct EnvironmentVariablesProvider {}

struct ConfigReader {
    init(provider: EnvironmentVariablesProvider) {}
}

extension StoreSettings {
    init(_ config: ConfigReader, forKey key: String) async throws { self.init() }
}

extension LendingLimits {
    init(_ config: ConfigReader, forKey key: String) async throws { self.init() }
}
