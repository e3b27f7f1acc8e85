extension Stores {
    /// Runs work on a file while no store of it is lent: an idle one is closed, and requests that come meanwhile wait
    /// until the work ends. A store that is in use, or kept closed for other work, is left alone, which the work finds
    /// out.
    ///
    /// - Parameter label: What the work is, for the report of a shutdown.
    func whileNotLent<T>(_ name: DatabaseName, label: String, _ work: () async throws -> T) async throws -> T {
        while true {
            switch lending.withLock({ $0.reserve(name) }) {
            case .refused: return try await work()
            case .closing: try await Task.sleep(for: .milliseconds(2))
            case .reserved(let loan, let lent):
                let holder = holders.add(StoreHolder(name: name, label: label, since: .now))
                defer {
                    holders.remove(holder)
                    perform(lending.withLock { $0.closed(loan) })
                }
                // Where closing fails, the file is still open, or it is closed with its log.
                if let lent { try? await release(lent.opening) }
                return try await StoreUse.run(self, keepingClosed: name, work)
            }
        }
    }
}
