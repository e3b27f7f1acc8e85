import Dispatch

/// A hardware token, a chip or a key service that wraps the key of a database without giving away its own key.
///
/// The library calls each function on a thread or task of its own, which may block, and stops waiting for it after the
/// time limit of ``Key/external(_:timeout:)``; the call itself is cancelled, and its late answer is wiped. Two calls
/// may run at once. The text of an error that a function throws becomes part of the library's error, so it must not
/// contain key bytes.
///
/// ```swift
/// struct Token: KeyProvider {
///     var identifier: String { "token:database key:2" }
///
///     func wrap(_ key: [UInt8], context: [UInt8]) async throws -> [UInt8] {
///         try await session.encrypt(key, authenticating: context)
///     }
///
///     func unwrap(_ wrapped: [UInt8], context: [UInt8]) async throws -> [UInt8] {
///         try await session.decrypt(wrapped, authenticating: context)
///     }
/// }
/// ```
public protocol KeyProvider: Sendable {
    /// Names the provider, its key, and the version of the key: 1 to 255 bytes of UTF-8 without control characters.
    ///
    /// It is stored in the envelope, authenticated and readable without a key. Another version of the key has another
    /// identifier; two providers with one identifier are the same key.
    var identifier: String { get }

    /// Wraps a key.
    ///
    /// - Parameters:
    ///   - key: 32 random bytes. The library wipes its copy; do not keep one.
    ///   - context: The 16 bytes of the database's salt, to be authenticated: with another context `unwrap` must fail.
    /// - Returns: The wrapped key, 1 to 4,096 bytes.
    func wrap(_ key: [UInt8], context: [UInt8]) async throws -> [UInt8]

    /// Unwraps a key.
    ///
    /// - Parameters:
    ///   - wrapped: What ``wrap(_:context:)`` has returned, perhaps in another process and years ago. A program
    ///     that can write the envelope can change it.
    ///   - context: The context of that call.
    /// - Returns: The 32 bytes of the key. The library wipes its copy.
    func unwrap(_ wrapped: [UInt8], context: [UInt8]) async throws -> [UInt8]
}

extension Key {
    /// A key that stays with a provider outside the process, which wraps the key of an envelope.
    ///
    /// It needs ``KeyProtection/envelope``. The provider is called once for each opening; all connections share what
    /// it returns. For another version of the provider's key, add it at the end of the chain with its own identifier.
    ///
    /// ```swift
    /// func keyChain(for database: DatabaseName) throws -> KeyChain {
    ///     try KeyChain(.external(Token(version: 1)), .external(Token(version: 2)))
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - provider: The provider of the key. Its identifier is requested here.
    ///   - timeout: How long to wait for one answer of the provider; more than zero.
    /// - Returns: The key. It equals each key with the same identifier.
    /// - Throws: ``StrongroomError`` with `invalidArgument` for an identifier that is empty, longer than 255 bytes or
    ///   has a control character, and for a timeout that is not positive.
    public static func external(_ provider: any KeyProvider, timeout: Duration = .seconds(10)) throws -> Key {
        let identifier = provider.identifier
        guard (1...ExternalKey.longestIdentifier).contains(identifier.utf8.count) else {
            throw StrongroomError(
                .invalidArgument,
                """
                The identifier of a key provider has \(identifier.utf8.count.counting("byte")); give it 1 to \
                \(ExternalKey.longestIdentifier).
                """)
        }
        guard !identifier.hasControlCharacter else {
            throw StrongroomError(
                .invalidArgument, "The identifier of a key provider has a control character; leave it out.")
        }
        guard timeout > .zero else {
            throw StrongroomError(
                .invalidArgument, "The timeout of a key provider is \(timeout); give one that is more than zero.")
        }
        return Key(material: .external(ExternalKey(identifier: identifier, provider: provider, timeout: timeout)))
    }
}

/// A provider's key, and the calls of the provider.
struct ExternalKey: Sendable, Equatable {
    let identifier: String
    fileprivate let provider: any KeyProvider
    fileprivate let timeout: Duration

    static let longestIdentifier = 255
    static let longestWrappedKey = 4_096

    static func == (left: ExternalKey, right: ExternalKey) -> Bool { left.identifier == right.identifier }

    /// Has a key wrapped, and unwrapped again: a provider that can only do the first would lock the database.
    func wrap(_ key: SecretBytes, context: [UInt8]) throws -> WrappedKey {
        let wrapped = try call("wrap") { [provider] in
            var bytes = key.withUnsafeBytes { Array($0) }
            defer { bytes.withUnsafeMutableBytes { $0.wipe() } }
            return try await provider.wrap(bytes, context: context)
        }
        guard (1...Self.longestWrappedKey).contains(wrapped.count) else {
            throw StrongroomError(
                .invalidArgument,
                """
                The provider of the external key "\(identifier)" has returned \(wrapped.count.counting("byte")) as a \
                wrapped key, where 1 to \(Self.longestWrappedKey) are possible. Nothing was changed.
                """)
        }
        guard try unwrap(wrapped, context: context) == key else { throw otherKey }
        return WrappedKey(identifier: identifier, bytes: wrapped)
    }

    func unwrap(_ wrapped: [UInt8], context: [UInt8]) throws -> SecretBytes {
        let key = try call("unwrap") { [provider] in
            var bytes = try await provider.unwrap(wrapped, context: context)
            defer { bytes.withUnsafeMutableBytes { $0.wipe() } }
            return SecretBytes(bytes)
        }
        guard key.count == Cryptography.keyLength else { throw otherKey }
        return key
    }

    /// Waits for the provider, and no longer than the time limit: the call then runs on, and its result is dropped.
    private func call<T: Sendable>(
        _ purpose: String, _ body: @escaping @Sendable () async throws -> T
    ) throws -> T {
        let outcome = Promise<Result<T, any Error>>()
        let thread = TaskThread("strongroom.key")
        let task = Task(executorPreference: thread) {
            let result: Result<T, any Error>
            do { result = .success(try await body()) } catch { result = .failure(error) }
            thread.finish()
            outcome.fulfill(result)
        }
        guard let result = outcome.wait(until: .now() + .milliseconds(Int(clamping: max(1, timeout.milliseconds))))
        else {
            task.cancel()
            throw failure("did not \(purpose) a key within \(timeout)")
        }
        do { return try result.get() } catch {
            var reason = (error as? StrongroomError)?.message ?? "\(error)"
            if reason.hasSuffix(".") { reason.removeLast() }
            throw failure("could not \(purpose) a key: \(reason)")
        }
    }

    /// The error for a provider that has unwrapped something else than what was wrapped.
    var otherKey: StrongroomError {
        failure("has returned another key than the one that was wrapped, which is not used")
    }

    private func failure(_ reason: String) -> StrongroomError {
        StrongroomError(
            .keyProvider,
            """
            The provider of the external key "\(identifier)" \(reason). Make it available, or add another key that \
            has a slot in the envelope to the chain; then try again. Nothing was changed.
            """)
    }
}

extension String {
    var hasControlCharacter: Bool { unicodeScalars.contains { $0.properties.generalCategory == .control } }
}

/// A key that a provider has wrapped, as a slot has it.
struct WrappedKey: Sendable, Hashable {
    /// Identifies the provider and its key.
    let identifier: String
    let bytes: [UInt8]
}
