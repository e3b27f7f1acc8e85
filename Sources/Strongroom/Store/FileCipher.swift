/// The key that a store's file has at this time, and its cipher settings; nothing for plaintext, and nothing once the store is closed.
final class FileCipher: Sendable {
    struct Content: Sendable {
        let key: DerivedKey
        let settings: CipherSettings
    }

    private let state: Locked<Content?>

    init(_ content: Content?) {
        state = Locked(content)
    }

    /// The key and the settings.
    var content: Content? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
