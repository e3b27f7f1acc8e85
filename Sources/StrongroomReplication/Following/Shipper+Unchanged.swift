import Strongroom

/// A file that has not changed since its replica's newest change costs one list.
extension Shipper {
    /// Begins behind what is committed, if the replica has all of it.
    ///
    /// - Returns: The state of the file and of the replica; nil if they may differ.
    func unchangedState(_ store: Store) async throws -> ShippedState? {
        guard unconfirmed == nil, let state = try record?.shippedState(),
            try store.fileStamp(ofCompleteFile: true) == state.stamp, try await folder.newestEntry() == state.newest
        else { return nil }
        let isUnchanged = try await read(store) { reader in
            try reader.begin { try store.fileStamp(ofCompleteFile: true) == state.stamp }
        }
        return isUnchanged ? state : nil
    }

    /// Records that the replica has the state of the file.
    func recordState(_ store: Store) async throws {
        guard isAtState, let writer, try await read(store, { try $0.checkpoint() }) else { return }
        let stamp = try store.fileStamp(ofCompleteFile: false)
        try await Task.sleep(for: FileStamp.tick)
        guard let stamp, try await read(store, { try $0.checkpoint() }),
            try store.fileStamp(ofCompleteFile: false) == stamp, try store.envelope() == writer.envelope
        else { return }
        try record?.record(writer.number, writer.digest, size: writer.size, stamp)
    }
}

extension ShippedState {
    /// The newest change of a replica that has this state.
    var newest: NewestChange { NewestChange(number: number, size: size) }
}
