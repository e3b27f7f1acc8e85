import Logging

extension StoreOpening {
    /// Rotates the file and its envelope to the current key and settings if the policy says so; a plaintext file is
    /// encrypted.
    func rotate(
        _ unlocked: inout UnlockedFile, _ keys: inout DatabaseKeys, _ content: FileContent, _ report: inout OpenReport
    ) throws {
        guard !context.isInMemory, !context.isReadOnly else { return }
        let start = ContinuousClock.now
        do {
            try rotateIfDue(&unlocked, &keys, content, &report)
        } catch {
            observer?.report(.rotate, since: start, error)
            throw error
        }
        guard report.rotation != nil || report.rotationFailure != nil else { return }
        observer?.report(.rotate, since: start, report.rotationFailure)
    }

    private func rotateIfDue(
        _ unlocked: inout UnlockedFile, _ keys: inout DatabaseKeys, _ content: FileContent, _ report: inout OpenReport
    ) throws {
        let isRotating = context.settings.rotation == .onOpen && !keys.chain.isPlaintext
        if isRotating, report.outcome == .opened { try rewrite(&unlocked, &keys, content, &report) }
        do {
            let renewed = try keys.renewEnvelope(isRotating: isRotating, unlocked)
            // A rewrite of the file is reported in preference to one of the envelope.
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
                // Other callers wait for this opening, and the rotation is tried again at the next one; a plaintext
                // file is encrypted without such delay.
                patience: unlocked.derivedKey == nil ? context.settings.openTimeout : .zero,
                whenReplaced: { try OpenFiles.shared.identify(context.path) })
            guard let (rotation, derivedKey) = done else { return }
            report.rotation = rotation
            unlocked = try keys.unlocked(with: derivedKey)
        } catch let error as StrongroomError {
            // A plaintext file is not used where an encrypted one is configured. An encrypted one is no less safe than
            // before and stays readable; its key is determined again, since the failure may have happened after the new
            // file was in place.
            let content = try FileContent.of(context.path)
            guard case .encrypted = content else { throw error }
            unlocked = try keys.unlock(content)
            leave(error, &report)
        }
    }

    /// Records that the file still has an older key.
    private func leave(_ error: StrongroomError, _ report: inout OpenReport) {
        context.logger?.warning("not rotated", metadata: ["reason": .string(error.message)])
        report.rotationFailure = error
    }
}
