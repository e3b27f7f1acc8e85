#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension KeyChain {
    /// Reads the keys from an environment variable, one per line as in a ``KeyFile``; a single passphrase is the whole
    /// value.
    ///
    /// Every process of the same user can read a process's environment, and child processes inherit it: a key file
    /// protects a secret better.
    ///
    /// ```swift
    /// func keyChain(for database: DatabaseName) async throws -> KeyChain {
    ///     try KeyChain(environment: "INVENTORY_KEYS")
    /// }
    /// ```
    ///
    /// - Parameter name: The variable's name.
    /// - Throws: ``StrongroomError`` with `keySource` if the variable is not set, is not UTF-8, or contains no key or
    ///   an invalid one; `invalidKey` as ``init(_:)-(Key...)``.
    public init(environment name: String) throws {
        let text = KeyText { StrongroomError(.keySource, "The environment variable \"\(name)\" \($0).") }
        guard !name.isEmpty, !name.utf8.contains(0), let value = getenv(name) else {
            throw text.refusal("is not set; set it to the keys, one a line, oldest first")
        }
        var content = Array(UnsafeRawBufferPointer(start: value, count: strlen(value)))
        defer { content.withUnsafeMutableBytes { $0.wipe() } }
        self = try text.keyChain(content)
    }
}
