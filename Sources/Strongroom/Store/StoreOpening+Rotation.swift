import Logging

extension StoreOpening {
    /// Brings the file to the current key and settings if the policy says so.
    func rotate(_ choice: inout KeyChoice, _ chain: KeyChain, _ content: FileContent, _ report: inout Progress) throws {
        guard settings.rotation == .onOpen, !chain.isPlaintext, report.outcome == .opened else { return }
        do {
            let done = try Rotation.run(
                file, choice, to: chain, ciphers[ciphers.count - 1], salt: content.salt, patience: settings.openTimeout,
                watcher: RotationWatcher())
            guard let (rotation, key) = done else { return }
            report.rotation = rotation
            choice = try proved(place: chain.count - 1, key)
        } catch let error as StrongroomError where choice.derived != nil && Self.isForLater(error) {
            // The data is as safe as it was; a plaintext file is not used where an encrypted one is wanted.
            logger?.warning("not rotated", metadata: ["reason": .string(error.message)])
            report.rotationFailure = error
            choice = try proved(place: choice.place, choice.derived)
        }
    }

    private static func isForLater(_ error: StrongroomError) -> Bool {
        [.locked, .busy, .diskFull].contains(error.code)
    }

    private func proved(place: Int?, _ key: DerivedKey?) throws -> KeyChoice {
        let connection = try file.connect(.existing, key: key)
        try connection.proveKey()
        return KeyChoice(place: place, derived: key, connection: connection)
    }
}
