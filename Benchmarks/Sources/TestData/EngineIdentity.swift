/// The engine that a process works on; one line of its versions.
public struct EngineIdentity: Sendable, Equatable {
    public let line: String

    public init(sqlite: String, source: String, cipher: String) {
        line = "SQLite \(sqlite), SQLCipher \(cipher), source \(source)"
    }

    public init(line: String) {
        self.line = line
    }
}
