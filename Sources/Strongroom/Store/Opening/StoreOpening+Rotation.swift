import Logging

extension StoreOpening {
    /// Brings the file and its envelope to the current key and settings if the policy says so; a plaintext file is
    /// encrypted.
    func rotate(
        _ unlocked: inout UnlockedFile, _ keys: inout DatabaseKeys, _ content: FileContent, _ report: inout OpenReport
    ) throws {
        guard !context.isInMemory, !context.isReadOnly else { return }
        let isRotating = context.settings.rotation == .onOpen && !keys.chain.isPlaintext
        if isRotating, report.outcome == .opened { try rewrite(&unlocked, &keys, content, &report) }
        do {
            let renewed = try keys.renewEnvelope(isRotating: isRotating, unlocked)
            // Rewriting the file is what there is more to tell of.
            report.rotation = report.rotation ?? renewed
        } catch let error as StrongroomError {
            leave(error, &report)
        }
        if unlocked.isWrapped { unlocked.position = keys.envelope?.position }
    }

    private func rewrite(
        _ unlocked: inout UnlockedFile, _ keys: inout DatabaseKeys, _ content: FileContent, _ report: inout OpenReport
    ) throws {
        do {
            let done = try keys.rewrite(
                unlocked, salt: content.salt,
                // Others wait behind this opening, and it is tried again at the next one; plaintext is not to wait for
                // that.
                patience: unlocked.derivedKey == nil ? context.settings.openTimeout : .zero,
                whenReplaced: { try OpenFiles.shared.identify(context.path) })
            guard let (rotation, derivedKey) = done else { return }
            report.rotation = rotation
            let connection = try context.file.connect(.existing, key: derivedKey)
            try connection.proveKey()
            unlocked = UnlockedFile(
                position: keys.lastPosition, isWrapped: keys.envelope != nil, derivedKey: derivedKey,
                connection: connection)
        } catch let error as StrongroomError {
            // A plaintext file is not used where an encrypted one is wanted. Of another one the data is as safe as it
            // was, and what can be read is to be had; which key it is on is found out again, since what failed may have
            // failed when the new one was in place.
            let content = try FileContent.of(context.path)
            guard case .encrypted = content else { throw error }
            unlocked = try keys.unlock(content)
            leave(error, &report)
        }
    }

    /// Notes that the file is still on an older key.
    private func leave(_ error: StrongroomError, _ report: inout OpenReport) {
        context.logger?.warning("not rotated", metadata: ["reason": .string(error.message)])
        report.rotationFailure = error
    }
}
