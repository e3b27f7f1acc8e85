/// A database that is being written page by page, to be restored.
///
/// If the process is killed, or the source of the pages fails, the file stays beside the database, with a note of how
/// far it is, so that the next attempt goes on there; opening the database removes both.
package final class RestoredFile: Sendable {
    let file: PlainFile
    private let notePath: String
    /// What was noted of the pages that the file has; nil for an empty file.
    package let note: [UInt8]?
    private let state: Locked<(hasNote: Bool, isKept: Bool)>

    /// Opens what an interrupted attempt has left, or creates an empty file.
    ///
    /// - Parameter path: The database's path.
    init(of path: String) throws {
        let rawPath = BackupRestore.rawPath(of: path)
        notePath = FileSystem.companion(of: path, "fetched")
        if let (file, note) = try Self.interrupted(rawPath, notePath) {
            (self.file, self.note) = (file, note)
        } else {
            try FileSystem.removeCopy(rawPath)
            try FileSystem.removeCopy(notePath)
            (file, note) = (try PlainFile(making: rawPath), nil)
        }
        state = Locked((note != nil, false))
    }

    /// The file that was left, and its note; nil unless this process's user has made both.
    private static func interrupted(_ path: String, _ notePath: String) throws -> (PlainFile, [UInt8])? {
        guard let left = try FileSystem.requireRegular(path), left.isPrivate,
            try FileSystem.requireRegular(notePath)?.isPrivate == true,
            let stored = try FileSystem.firstBytesIfThere(of: notePath, longestNote)
        else { return nil }
        let file = try PlainFile(path, isWritable: true, followsLinks: false)
        let status = try file.status()
        let identity = status.identity
        guard status.isPrivate, let content = Digests.content(of: stored), content.starts(with: nodeBytes(identity))
        else { return nil }
        try SideFiles(of: path).removeEngineFiles()
        return (file, Array(content.dropFirst(8)))
    }

    /// Longer than an envelope.
    private static let longestNote = Envelope.maxBytes + 4_096

    /// A note belongs to one file, not to another one of the same name.
    private static func nodeBytes(_ identity: FileStatus.Identity) -> [UInt8] {
        withUnsafeBytes(of: identity.node.littleEndian) { [UInt8]($0) }
    }

    /// Writes a page.
    ///
    /// - Parameter number: The page's number, counted from 1.
    package func write(_ page: UnsafeRawBufferPointer, as number: UInt32) throws {
        try file.write(page, at: Int64(number - 1) * Int64(page.count))
    }

    /// Sets the length of the file.
    package func resize(to length: Int64) throws { try file.truncate(to: length) }

    /// The length of the file, in bytes.
    package func length() throws -> Int64 { try file.size() }

    /// Notes what the file has now, after flushing it to the disk. A note that is written in part counts as none.
    package func record(_ note: [UInt8]) throws {
        try file.synchronize()
        let stored = Digests.stored(Self.nodeBytes(try file.status().identity) + note)
        if try FileSystem.requireRegular(notePath) == nil { _ = try PlainFile(making: notePath) }
        let target = try PlainFile(notePath, isWritable: true, followsLinks: false)
        try target.truncate(to: Int64(stored.count))
        try target.write(stored, at: 0)
        try target.synchronize()
        state.withLock { $0.hasNote = true }
    }

    /// Whether it stays for a further attempt.
    var isKept: Bool { state.withLock { $0.isKept } }

    /// Runs the work that writes the pages, and keeps the file if that is interrupted.
    func keptIfInterrupted<T>(_ work: () async throws -> T) async throws -> T {
        do {
            return try await work()
        } catch {
            let code = (error as? StrongroomError)?.code
            let isInterrupted = error is CancellationError || code == .objectStoreUnreachable || code == .objectStore
            state.withLock { $0.isKept = $0.hasNote && isInterrupted }
            throw error
        }
    }

    /// Removes the file, unless it was moved into its place, and the note.
    func remove() throws {
        if try FileStatus.ofName(file.path)?.identity == file.status().identity {
            try FileSystem.removeCopy(file.path)
        }
        try FileSystem.removeCopy(notePath)
    }
}
