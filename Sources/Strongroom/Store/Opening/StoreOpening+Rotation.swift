import Logging

extension StoreOpening {
    /// Brings the file and its envelope to the current key and settings if the policy says so.
    func rotate(
        _ choice: inout KeyChoice, _ keys: inout FileKeys, _ content: FileContent, _ report: inout Progress
    ) throws {
        let isRotating = settings.rotation == .onOpen && !keys.chain.isPlaintext
        if isRotating, report.outcome == .opened { try rewrite(&choice, &keys, content, &report) }
        do {
            let renewed = try keys.renewEnvelope(isRotating: isRotating, choice)
            // Rewriting the file is what there is more to tell of.
            report.rotation = report.rotation ?? renewed
        } catch let error as StrongroomError {
            leave(error, &report)
        }
        if choice.isWrapped { choice.place = keys.slotPlace }
    }

    private func rewrite(
        _ choice: inout KeyChoice, _ keys: inout FileKeys, _ content: FileContent, _ report: inout Progress
    ) throws {
        do {
            let done = try keys.rewrite(
                choice, salt: content.salt,
                // Others wait behind this opening, and it is tried again at the next one; plaintext is not to wait for
                // that.
                patience: choice.derived == nil ? settings.openTimeout : .zero, monitor: WorkMonitor(),
                whenReplaced: { try OpenFiles.shared.identify(path) })
            guard let (rotation, key) = done else { return }
            report.rotation = rotation
            let connection = try proved(key)
            choice = KeyChoice(
                place: keys.lastPlace, isWrapped: keys.envelope != nil, derived: key, connection: connection)
        } catch let error as StrongroomError {
            // A plaintext file is not used where an encrypted one is wanted. Of another one the data is as safe as it
            // was, and what can be read is to be had; which key it is on is found out again, since what failed may have
            // failed when the new one was in place.
            guard case .encrypted(let salt, let size) = try FileContent.of(path) else { throw error }
            choice = try keys.find(salt: salt, size: size)
            leave(error, &report)
        }
    }

    private func leave(_ error: StrongroomError, _ report: inout Progress) {
        logger?.warning("not rotated", metadata: ["reason": .string(error.message)])
        report.rotationFailure = error
    }

    private func proved(_ key: DerivedKey?) throws -> Connection {
        let connection = try file.connect(.existing, key: key)
        try connection.proveKey()
        return connection
    }
}
