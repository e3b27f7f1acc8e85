import Logging

extension StoreOpening {
    /// Brings the file to the current key and settings if the policy says so.
    func rotate(_ choice: inout KeyChoice, _ chain: KeyChain, _ content: FileContent, _ report: inout Progress) throws {
        guard settings.rotation == .onOpen, !chain.isPlaintext, report.outcome == .opened else { return }
        do {
            let done = try Rotation.run(
                file, choice, to: chain, ciphers[ciphers.count - 1], salt: content.salt,
                // Others wait behind this opening, and it is tried again at the next one; plaintext is not to wait for that.
                patience: choice.derived == nil ? settings.openTimeout : .zero,
                watcher: RotationWatcher(), whenReplaced: { try OpenFiles.shared.identify(path) })
            guard let (rotation, key) = done else { return }
            report.rotation = rotation
            choice = try proved(place: chain.count - 1, key)
        } catch let error as StrongroomError {
            // A plaintext file is not used where an encrypted one is wanted. Of another one the data is as safe as it was, and what can be
            // read is to be had; which key it is on is found out again, since what failed may have failed when the new one was in place.
            guard case .encrypted(let salt, let size) = try FileContent.of(path) else { throw error }
            choice = try KeyChoice.find(in: chain, ciphers, for: file, salt: salt, size: size)
            logger?.warning("not rotated", metadata: ["reason": .string(error.message)])
            report.rotationFailure = error
        }
    }

    private func proved(place: Int?, _ key: DerivedKey?) throws -> KeyChoice {
        let connection = try file.connect(.existing, key: key)
        try connection.proveKey()
        return KeyChoice(place: place, derived: key, connection: connection)
    }
}
