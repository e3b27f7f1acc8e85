#if ConfigReader
public import Configuration

extension KeyChain {
    /// Reads the keys from a value of swift-configuration, one per line as in a ``KeyFile``; a single passphrase is the
    /// whole value.
    ///
    /// The value is read as a secret, so that the reader's access log does not show it. Requires the package trait
    /// `ConfigReader`.
    ///
    /// ```swift
    /// let config = ConfigReader(provider: EnvironmentVariablesProvider())
    ///
    /// func keyChain(for database: DatabaseName) async throws -> KeyChain {
    ///     try await KeyChain(config, forKey: "inventory.keys")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - reader: The reader of the value; its providers are queried each time.
    ///   - key: The value's key.
    /// - Throws: ``StrongroomError`` with `keySource` if there is no such value, a provider fails (`underlying` is its
    ///   error), or the text contains no key or an invalid one; `invalidKey` as ``init(_:)-(Key...)``.
    public init(_ reader: ConfigReader, forKey key: ConfigKey) async throws {
        let text = KeyText { StrongroomError(.keySource, "The configuration's value \"\(key)\" \($0).") }
        let value: String?
        do {
            value = try await reader.fetchString(forKey: key, isSecret: true)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            var failure = text.refusal("cannot be had; see `underlying`")
            failure.underlying = error
            throw failure
        }
        guard let value else { throw text.refusal("is not there; give the keys, one a line, oldest first") }
        var content = Array(value.utf8)
        defer { content.withUnsafeMutableBytes { $0.wipe() } }
        self = try text.keyChain(content)
    }
}
#endif
