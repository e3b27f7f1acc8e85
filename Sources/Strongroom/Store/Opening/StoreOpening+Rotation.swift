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
        let options = DatabaseKeys.RotationOptions(
            isRotating: context.settings.rotation == .onOpen && !keys.chain.isPlaintext, isThorough: false,
            // Other callers wait for this opening, and the rotation is tried again at the next one; a plaintext file is
            // encrypted without such delay.
            patience: unlocked.derivedKey == nil ? context.settings.openTimeout : .zero,
            whenReplaced: { [context] in try OpenFiles.shared.identify(context.path) })
        report.rotation = try keys.rewriteAndRenew(&unlocked, salt: content.salt, options) { leave($0, &report) }
        if unlocked.isWrapped { unlocked.position = keys.envelope?.position }
    }

    /// Records that the file still has an older key.
    private func leave(_ error: StrongroomError, _ report: inout OpenReport) {
        context.logger?.warning("not rotated", metadata: ["reason": .string(error.message)])
        report.rotationFailure = error
    }
}
