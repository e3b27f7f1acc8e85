import Logging

/// Which database a file belongs to, as far as a migrator maintains its schema: nothing is written to other files.
extension StoreContext {
    /// Throws if a file is that of another database.
    ///
    /// - Parameter copy: What is to replace the database, such as `The backup "…"`; nil for the database itself.
    /// - Returns: The recorded name; nil if there is none.
    /// - Throws: ``StrongroomError`` with `otherDatabase`, `damaged`.
    @discardableResult
    func requireOwnName(_ connection: Connection, of copy: String? = nil) throws -> String? {
        guard migrator != nil, let recorded = try RecordedName(connection: connection).read() else { return nil }
        // A file system may list a name in another Unicode form, which `==` treats as the same.
        guard recorded == name.fileName else { throw ofOther(recorded, copy) }
        return recorded
    }

    /// The error for the file of another database.
    func ofOther(_ recorded: String, _ copy: String? = nil) -> StrongroomError {
        let way =
            copy == nil
            ? "If the database was renamed, say so once: `Stores.adopt(_:from:)`, or `strongroom adopt \(name) --from "
                + "\(recorded)`"
            : "If it is meant, name that database: `adoptingFrom:`, or `--adopt-from \(recorded)`"
        return StrongroomError(
            .otherDatabase,
            """
            \(copy ?? "The file \"\(path)\"") is that of the database "\(recorded)", not of "\(name)": it was \
            exchanged, or copied to another name. \(way). Otherwise use the one of "\(name)". Nothing was changed.
            """,
            database: name.fileName)
    }
}

extension StoreOpening {
    /// Records the database's name in a file that has none yet, as one of an earlier version, unless the file is not
    /// changed by an opening.
    func recordName(_ connection: Connection, _ recorded: String?, _ report: OpenReport) throws {
        guard recorded == nil, context.migrator != nil, !context.isInMemory, !context.isReadOnly else { return }
        guard report.outcome == .created || context.settings.migration == .onOpen else { return }
        do {
            try RecordedName(connection: connection).write(context.name.fileName)
        } catch let error as StrongroomError where report.outcome == .opened {
            // The next opening tries again.
            context.logger?.warning("name not recorded", metadata: ["reason": .string(error.message)])
        }
    }

    /// Remembers that the database is encrypted.
    func rememberEncryption(_ unlocked: UnlockedFile) {
        guard unlocked.derivedKey != nil, !context.isInMemory, !context.isReadOnly else { return }
        // The next opening tries again.
        try? context.file.remember(.encrypted)
    }
}
