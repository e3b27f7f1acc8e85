/// Searches the open files of all other processes, which takes about two milliseconds for 80 of them: the searches
/// that threads ask for while one is in progress are made together.
///
/// A search begins after each request that it answers, so that it misses no process that had the file open at that time
/// and keeps it open.
final class HolderSearch: Sendable {
    static let shared = HolderSearch { try FileHolders.search(for: $0) }

    typealias Holders = [FileStatus.Identity: [Int]]

    private enum Answer {
        case holders(Result<Holders, any Error>)
        /// The thread makes the next search.
        case turn
    }

    private struct Request {
        let identity: FileStatus.Identity
        let answer = Promise<Answer>()
    }

    private struct State {
        var isSearching = false
        var requests: [Request] = []
    }

    private let state = Locked(State())

    /// The number of requests that the search in progress does not answer.
    var waitingCount: Int { state.withLock { $0.requests.count } }

    private let search: @Sendable (_ identities: Set<FileStatus.Identity>) throws -> Holders

    /// - Parameter search: Finds the processes that have each of the files open.
    init(_ search: @escaping @Sendable (_ identities: Set<FileStatus.Identity>) throws -> Holders) {
        self.search = search
    }

    /// The other processes that have a file open; blocks the thread while another one searches.
    ///
    /// - Throws: What the search throws.
    func holders(of identity: FileStatus.Identity) throws -> [Int] {
        let request = Request(identity: identity)
        let isFirst = state.withLock { state in
            state.requests.append(request)
            defer { state.isSearching = true }
            return !state.isSearching
        }
        if !isFirst, case .holders(let holders) = request.answer.wait() { return try holders.get()[identity] ?? [] }
        return try searchForAll().get()[identity] ?? []
    }

    /// Answers all requests so far, and lets a thread that has asked meanwhile make the next search.
    private func searchForAll() -> Result<Holders, any Error> {
        let requests = state.withLock { state in
            defer { state.requests = [] }
            return state.requests
        }
        let holders = Result { try search(Set(requests.map(\.identity))) }
        for request in requests { request.answer.fulfill(.holders(holders)) }
        state.withLock { state in
            state.isSearching = !state.requests.isEmpty
            return state.requests.first
        }?.answer.fulfill(.turn)
        return holders
    }
}
