/// What shows, without the key, that a database file has not been written since: as long as it has the same stamp and
/// no WAL, no program has changed the file or its envelope.
///
/// The time of a file's last change cannot be set by programs, and grows with each write, unlike that of its content. A
/// write in the same tick of the system's clock leaves it as it was, so a stamp counts only if the file still has it
/// after ``FileStamp/tick``.
package struct FileStamp: Sendable, Equatable {
    /// Longer than the distance of two times that file systems distinguish, unless they count whole seconds.
    package static let tick = Duration.milliseconds(20)
    /// The length of a stamp, in bytes.
    package static let length = Digests.length

    package let bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }

    /// The stamp of a file; nil if there is none, or its file system counts whole seconds.
    static func of(_ file: DatabaseFile) throws -> FileStamp? {
        guard let status = try FileStatus.at(file.path), status.isRegularFile,
            status.changed.components.attoseconds != 0
        else { return nil }
        let envelope = try EnvelopeFile(databasePath: file.path, name: file.name).stored() ?? []
        let content = "\(status.identity.node) \(status.size) \(status.modified) \(status.changed) "
        return FileStamp(bytes: Digests.sha256(Array(content.utf8) + Digests.sha256(envelope)))
    }

    /// The stamp of a file that has every commit; nil also if there is a WAL that is not empty, or a journal.
    static func ofWholeFile(_ file: DatabaseFile) throws -> FileStamp? {
        guard try FileStatus.at(file.path + "-wal")?.size ?? 0 == 0, try FileStatus.at(file.path + "-journal") == nil
        else { return nil }
        return try of(file)
    }
}
