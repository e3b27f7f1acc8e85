extension EnvelopeFile {
    /// How the copies get their names.
    enum Placing: Sendable {
        /// There is none; one that appears meanwhile is not overwritten.
        case place
        /// Over what is there.
        case replace
    }

    /// One step of writing; after each of them, and if a crash undoes those that were not brought to the disk, one copy
    /// is whole.
    enum Step: Sendable, Equatable {
        /// Removes what a crash left.
        case remove(String)
        /// Makes a file for those who may use the database, gives it its content and brings it to the disk, all through
        /// one descriptor.
        case write(String, [UInt8])
        /// Gives it a name that nothing has.
        case place(String, as: String)
        /// Gives it a name in place of what has it.
        case rename(String, to: String)
        /// Brings the names to the disk.
        case synchronize(String)
    }

    /// The steps of writing, in their order.
    ///
    /// Both copies are on the disk under other names before the first is put in place, so that a full disk is met while
    /// nothing is changed.
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

    /// Removes what an interrupted writing has left; the lock between processes is held.
    func removeLeftovers() throws {
        try removeLeftovers(of: steps([], .replace))
    }

    func write(_ envelope: OpenEnvelope, _ placing: Placing) throws {
        let steps = steps(envelope.bytes, placing)
        for (place, step) in steps.enumerated() {
            do {
                try carryOut(step)
            } catch let error as StrongroomError {
                try removeLeftovers(of: steps)
                throw steps[..<place].contains(where: \.isPlacing) ? halfDone(error) : error.naming(name)
            }
        }
    }

    func carryOut(_ step: Step) throws {
        switch step {
        case .remove(let path): try FileSystem.remove(path)
        case .write(let path, let bytes):
            let file = try PlainFile(making: path)
            try keepAccess(file)
            try bytes.withUnsafeBytes { try file.write($0, at: 0) }
            try file.synchronize()
            try file.requireName(path)
        case .place(let source, let destination): try FileSystem.moveIntoPlace(source, destination)
        case .rename(let source, let destination): try FileSystem.replace(destination, with: source)
        case .synchronize(let directory): try FileSystem.synchronize(directory)
        }
    }

    /// Who may use the database, or its envelope so far, is not to be locked out, also when an operator's tool runs as
    /// another user.
    private func keepAccess(_ new: PlainFile) throws {
        for place in [path, copyPath, databasePath] {
            guard let status = try FileStatus.at(place) else { continue }
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
