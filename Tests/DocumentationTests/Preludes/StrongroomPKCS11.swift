struct SecretStore {
    func read(_ name: String) async throws -> [UInt8] { given() }
}

let secrets: SecretStore = given()
