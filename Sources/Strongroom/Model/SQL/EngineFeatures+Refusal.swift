extension SQL {
    /// Fails if the linked engine lacks a feature, before the statement is prepared.
    mutating func require(_ feature: KeyPath<EngineFeatures, Bool>, _ name: String) {
        do {
            let features = try EngineFeatures.current()
            guard !features[keyPath: feature] else { return }
            fail(
                StrongroomError(
                    .notSupported,
                    """
                    The linked engine, SQLite \(features.sqliteVersion), has no \(name); link a newer SQLCipher, or \
                    compute this in Swift.
                    """))
        } catch {
            fail(error as? StrongroomError ?? StrongroomError(.engine, "The engine's features are not known."))
        }
    }
}
