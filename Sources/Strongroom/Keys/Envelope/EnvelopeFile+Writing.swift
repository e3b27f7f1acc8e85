extension EnvelopeFile {
    /// How the new copies are moved into place.
    enum Placing: Sendable {
        /// There are none yet; a copy that appears meanwhile is not overwritten.
        case place
        /// They replace the existing copies.
        case replace
    }

    /// One step of writing. After each step one copy is intact, even if a crash undoes steps that have not been
    /// synchronized to disk.
    enum Step: Sendable, Equatable {
        /// Removes a file that a crash left.
        case remove(String)
        /// Creates a file accessible to the users of the database, writes its content and synchronizes it to disk, all
        /// through one descriptor.
        case write(String, [UInt8])
        /// Renames a file to a name that does not exist.
        case place(String, as: String)
        /// Renames a file and replaces the existing one.
        case rename(String, to: String)
        /// Synchronizes the directory to disk.
        case synchronize(String)
    }

    /// The steps of writing, in order.
    ///
    /// Both copies are on disk under temporary names before the first is moved into place, so that a full disk is
    /// detected before anything is changed.
    func steps(_ bytes: [UInt8], _ placing: Placing) -> [Step] {
        let copies = [
            (new: FileSystem.companion(of: databasePath, "keys.new"), old: path),
            (new: FileSystem.companion(of: databasePath, "keys.copy.new"), old: copyPath),
        ]
        let written: [Step] = copies.flatMap { [.remove($0.new), .write($0.new, bytes)] }
        let placed: [Step] = copies.map {
            placing == .place ? .place($0.new, as: $0.old) : .rename($0.new, to: $0.old)
        }
        return written + placed + [.synchronize(FileSystem.directory(of: databasePath))]
    }

    /// Removes temporary files of an interrupted write; the lock between processes is held.
    func removeLeftovers() throws {
        try removeLeftovers(of: steps([], .replace))
    }

    func write(_ envelope: OpenEnvelope, _ placing: Placing) throws {
        let steps = steps(envelope.bytes, placing)
        for (index, step) in steps.enumerated() {
            do {
                try carryOut(step)
            } catch let error as StrongroomError {
                try removeLeftovers(of: steps)
                throw steps[..<index].contains(where: \.isPlacing) ? halfDone(error) : error.naming(name)
            }
        }
    }

    func carryOut(_ step: Step) throws {
        switch step {
        case .remove(let path): try FileSystem.remove(path)
        case .write(let path, let bytes):
            let file = try PlainFile(making: path)
            try keepAccess(file)
            try file.write(bytes, at: 0)
            try file.synchronize()
            try file.requireName(path)
        case .place(let source, let destination): try FileSystem.moveIntoPlace(source, destination)
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

    private func removeLeftovers(of steps: [Step]) throws {
        for case .remove(let path) in steps { try FileSystem.remove(path) }
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

extension EnvelopeFile.Step {
    fileprivate var isPlacing: Bool {
        switch self {
        case .place, .rename: true
        default: false
        }
    }
}
