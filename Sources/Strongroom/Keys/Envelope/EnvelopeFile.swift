/// The sidecar of a database: its envelope in two copies, `FILE.keys` and `FILE.keys.copy`.
///
/// Without it the database is lost, so writing keeps one copy intact at every instant, and one of the two files may be
/// lost or damaged. Both have the same content, because a revoked key could still open an older one. There are two
/// files rather than two areas in one, because a rename replaces a copy atomically, so that no write ever changes bytes
/// that are needed, and because accidental damage, truncation or removal affects one file only.
///
/// A writer holds the database's lock between processes (``FileLock``), and reads the envelope under it before the
/// change.
struct EnvelopeFile: Sendable {
    let databasePath: String
    /// The database's name in errors.
    let name: String

    var path: String { SideFiles(of: databasePath).envelopes[0] }
    var copyPath: String { SideFiles(of: databasePath).envelopes[1] }

    /// Whether there is a sidecar, even a damaged one.
    func exists() throws -> Bool {
        try [path, copyPath].contains { try FileStatus.ofName($0) != nil }
    }

    /// - Parameter observer: Receives the slots whose providers fail, also if another key opens the envelope.
    func open(
        with chain: KeyChain, salt: [UInt8]?, _ observer: (any EnvelopeObserver)? = nil
    ) throws -> OpenEnvelope {
        // Both copies usually are the same, so keys derived for one serve for the other, too.
        var wrappingKeys = WrappingKeys()
        return try open(salt, keys: chain.count) { envelope in
            try envelope.open(with: chain, &wrappingKeys) { observer?.slotFailed($0, $1) }
        }
    }

    /// Opens the envelope with the data keys of an open store, to change it; derives nothing.
    func open(with dataKeys: DataKeys, salt: [UInt8]) throws -> OpenEnvelope {
        try open(salt, keys: nil) { try $0.open(with: dataKeys) }
    }

    /// Writes the first envelope of a database; fails if there is one.
    func create(_ envelope: OpenEnvelope) throws {
        guard try !exists() else {
            throw StrongroomError(
                .exists,
                """
                There is a wrapped key at "\(path)" or "\(copyPath)" already, and it is not overwritten. Move it away.
                """,
                database: name
            )
        }
        try write(envelope, replacing: false)
    }

    /// Rewrites both copies.
    ///
    /// - Throws: ``StrongroomError`` with `foreignEnvelope` if one of them belongs to another database, whose last copy
    ///   it may be; or the failure of the write. The previous copies stay unless the message says otherwise.
    func replace(_ envelope: OpenEnvelope) throws {
        for copy in [path, copyPath] {
            do {
                _ = try read(copy, envelope.databaseSalt)
            } catch EnvelopeDefect.foreign {
                throw foreign(copy)
            } catch is EnvelopeDefect {
                continue
            }
        }
        try write(envelope, replacing: true)
    }

    /// Writes both copies, as ``create(_:)`` and ``replace(_:)``.
    ///
    /// - Parameters:
    ///   - old: What the envelope was; nil for the first.
    ///   - observer: Receives the change, also if only the first copy was written: the next opening completes it.
    func replace(_ old: OpenEnvelope?, with new: OpenEnvelope, _ observer: (any EnvelopeObserver)?) throws {
        do {
            try old == nil ? create(new) : replace(new)
        } catch {
            let found = try? open(with: new.dataKeys, salt: new.databaseSalt)
            if found?.sealed == new.sealed { observer?.envelopeChanged(from: old, to: new) }
            throw error
        }
        observer?.envelopeChanged(from: old, to: new)
    }
}

/// Receives what happens to the envelope of a database; may be called with locks held.
protocol EnvelopeObserver: AnyObject, Sendable {
    /// An envelope is on the disk.
    ///
    /// - Parameter old: What it was; nil for a new one.
    func envelopeChanged(from old: OpenEnvelope?, to new: OpenEnvelope)

    /// The key of a slot is not available, because its provider fails.
    func slotFailed(_ slot: KeySlot, _ error: StrongroomError)
}

extension EnvelopeFile {
    /// - Returns: Nil if there is no copy at the path.
    /// - Throws: ``EnvelopeDefect``, or ``StrongroomError`` if the copy is not a file or may not be read.
    private func read(_ path: String, _ salt: [UInt8]?) throws -> Envelope? {
        guard !FileSystem.isSymbolicLink(path) else { throw notAFile(path) }
        guard let status = try FileStatus.at(path) else { return nil }
        guard status.isRegularFile else { throw notAFile(path) }
        do {
            let envelope = try Envelope(
                bytes: FileSystem.firstBytes(of: path, Envelope.maxBytes + 1, followsLinks: false))
            guard salt == nil || envelope.databaseSalt == salt else { throw EnvelopeDefect.foreign }
            return envelope
        } catch let error as StrongroomError where error.code == .inputOutput {
            // A bad sector makes one copy unreadable, not both.
            throw EnvelopeDefect.damaged("it cannot be read")
        }
    }

    private func open(
        _ salt: [UInt8]?, keys: Int?, _ open: (Envelope) throws -> OpenEnvelope
    ) throws -> OpenEnvelope {
        var defects: [EnvelopeDefect] = []
        var copies: [Envelope] = []
        for path in [path, copyPath] {
            do {
                if let envelope = try read(path, salt) { copies.append(envelope) }
            } catch let defect as EnvelopeDefect {
                defects.append(defect)
            }
        }
        let isIntact = copies.count == 2 && copies[0] == copies[1]
        // A program that does not know the newer format would lose parts of it by writing it back.
        for case .newer(let version) in defects { throw failure(.newer(version: version), keys) }
        let newest = copies.map(\.generation).max()
        for envelope in isIntact ? [copies[0]] : copies.sorted(by: { $0.generation > $1.generation }) {
            // An older copy may replace a newer one that is damaged, but must not be used with a key that the newer one
            // no longer contains.
            guard !defects.contains(.noKeyFits) || envelope.generation == newest else { break }
            do {
                var opened = try open(envelope)
                opened.isIntact = isIntact
                return opened
            } catch let defect as EnvelopeDefect {
                defects.append(defect)
            } catch let error as StrongroomError {
                throw error.naming(name)
            }
        }
        // The one with the most useful advice: another key, other files, a backup.
        let first = defects.first { $0 == .noKeyFits } ?? defects.first { $0 == .foreign } ?? defects.first
        let hasUnknown = copies.contains { $0.slots.contains(where: \.isUnknown) }
        throw first.map { failure($0, keys, hasUnknown: hasUnknown) } ?? missing
    }

    // MARK: Errors

    private func failure(_ defect: EnvelopeDefect, _ keys: Int?, hasUnknown: Bool = false) -> StrongroomError {
        let (code, message): (StrongroomError.Code, String) =
            switch defect {
            case .damaged(let reason):
                (
                    .envelopeDamaged,
                    """
                    No copy of the database's wrapped key can be used, neither "\(path)" nor "\(copyPath)": \(reason). \
                    Restore one of them from a backup; without it the database cannot be opened.
                    """
                )
            case .newer(let version):
                (
                    .newerEnvelope,
                    """
                    A newer program has written the database's wrapped key, "\(path)" or "\(copyPath)", in version \
                    \(version) of its form. Use that program.
                    """
                )
            case .foreign:
                (
                    .foreignEnvelope,
                    """
                    The wrapped key in "\(path)" is not that of "\(databasePath)": it was created for a file that \
                    begins with another salt. Use the file with the wrapped key that belongs to it; if it does, the \
                    database's first 16 bytes are damaged.
                    """
                )
            case .noKeyFits: (.wrongKey, noKeyFits(keys, hasUnknown: hasUnknown))
            }
        return StrongroomError(code, message, database: name)
    }

    private func foreign(_ path: String) -> StrongroomError {
        StrongroomError(
            .foreignEnvelope,
            """
            "\(path)" is the wrapped key of another database, perhaps its last, so it is not overwritten with that of \
            "\(databasePath)". Move it to the database that it belongs to. Nothing was changed.
            """,
            database: name
        )
    }

    private func noKeyFits(_ keys: Int?, hasUnknown: Bool) -> String {
        guard let keys else {
            return """
                The data key of "\(databasePath)" has been replaced since the store was opened. Close the store and \
                open it again.
                """
        }
        let tried = keys == 1 ? "The key of the chain is not" : "None of the chain's \(keys) keys is"
        let newer = hasUnknown ? " It has slots of a kind that only a newer version can use." : ""
        return """
            \(tried) among those that open "\(path)".\(newer) Add a key that has a slot in it, or a recovery key, to \
            the chain at its beginning. Nothing was changed.
            """
    }

    var missing: StrongroomError {
        StrongroomError(
            .envelopeMissing,
            """
            The wrapped key of "\(databasePath)" is gone: there is neither "\(path)" nor "\(copyPath)". Restore one of \
            them from a backup; without it the database cannot be opened.
            """,
            database: name
        )
    }

    private func notAFile(_ path: String) -> StrongroomError {
        StrongroomError(
            .notAFile,
            """
            "\(path)" is not a regular file, so no wrapped key is read from it or written to it. Move it away.
            """,
            database: name
        )
    }
}

extension EnvelopeFile {
    /// One step of writing. After each step one copy is intact, even if a crash undoes steps that have not been
    /// synchronized to disk.
    enum Step: Sendable, Equatable {
        /// Removes a file that a crash left.
        case remove(String)
        /// Creates a file accessible to the users of the database, writes its content and synchronizes it to disk, all
        /// through one descriptor.
        case write(String, [UInt8])
        /// Renames a file to a name that does not exist.
        case move(String, to: String)
        /// Renames a file and replaces the existing one.
        case rename(String, to: String)
        case synchronize(String)
    }

    /// The steps of writing, in order.
    ///
    /// Both copies are on disk under temporary names before the first gets its name, so that a full disk is detected
    /// before anything is changed.
    ///
    /// - Parameter replacing: Whether existing copies are replaced; otherwise one that appears meanwhile is not
    ///   overwritten.
    func steps(_ bytes: [UInt8], replacing: Bool) -> [Step] {
        let copies = [
            (new: FileSystem.hiddenFile(of: databasePath, "keys.new"), name: path), (new: nextCopyPath, name: copyPath),
        ]
        let written: [Step] = copies.flatMap { [.remove($0.new), .write($0.new, bytes)] }
        let named: [Step] = copies.map { replacing ? .rename($0.new, to: $0.name) : .move($0.new, to: $0.name) }
        return written + named + [.synchronize(FileSystem.directory(of: databasePath))]
    }

    /// Removes temporary files of an interrupted write; the lock between processes is held.
    func removeLeftovers() throws {
        for case .remove(let path) in steps([], replacing: true) { try FileSystem.remove(path) }
    }

    private func write(_ envelope: OpenEnvelope, replacing: Bool) throws {
        var isFirstNamed = false
        for step in steps(envelope.bytes, replacing: replacing) {
            do {
                try carryOut(step)
            } catch let error as StrongroomError {
                try removeLeftovers()
                throw isFirstNamed ? halfDone(error) : error.naming(name)
            }
            switch step {
            case .move, .rename: isFirstNamed = true
            default: break
            }
        }
    }

    func carryOut(_ step: Step) throws {
        switch step {
        case .remove(let path): try FileSystem.remove(path)
        case .write(let path, let bytes):
            let file = try PlainFile(creating: path)
            try keepAccess(file)
            try file.write(bytes, at: 0)
            try file.synchronize()
            try file.requireName(path)
        case .move(let source, let destination): try FileSystem.moveIntoPlace(source, destination)
        case .rename(let source, let destination): try FileSystem.replace(destination, with: source)
        case .synchronize(let directory): try FileSystem.synchronize(directory)
        }
    }

    /// Keeps the access of the users of the database, or of the present envelope, also if an operator's tool runs as
    /// another user.
    private func keepAccess(_ new: PlainFile) throws {
        for file in [path, copyPath, databasePath] {
            guard let status = try FileStatus.at(file) else { continue }
            return try new.setAccess(like: status)
        }
    }

    private func halfDone(_ error: StrongroomError) -> StrongroomError {
        StrongroomError(
            error.code,
            """
            \(error.message) The first copy of the wrapped key, "\(path)", is the new one already; opening the \
            database completes the second.
            """,
            database: name
        )
    }
}
