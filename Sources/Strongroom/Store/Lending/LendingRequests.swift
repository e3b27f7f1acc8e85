/// The requests for stores that wait: for a limit, in FIFO order, or until their store is closed.
struct LendingRequests<Waiter> {
    struct Request {
        let name: DatabaseName
        let ticket: UInt64
        /// Whether the limits do not apply.
        let isNested: Bool
        let waiter: Waiter
    }

    private var queue = FIFOQueue<Request>()
    /// How many of the queue each name has.
    private var counts: [DatabaseName: Int] = [:]
    private var behindClose: [DatabaseName: [Request]] = [:]

    /// The request that has waited for a limit longest.
    var first: Request? { queue.first }

    /// Whether no request waits for a limit.
    var isEmpty: Bool { queue.isEmpty }

    /// How many stores are waited for because of a limit.
    var nameCount: Int { counts.count }

    /// The number of all requests.
    var count: Int { counts.values.reduce(0, +) + behindClose.values.reduce(0) { $0 + $1.count } }

    /// Adds a request that waits for a limit.
    mutating func append(_ request: Request) {
        queue.append(request)
        counts[request.name, default: 0] += 1
    }

    /// Adds a request that waits until its store is closed.
    mutating func appendBehindClose(_ request: Request) {
        behindClose[request.name, default: []].append(request)
    }

    /// Removes the request that has waited for a limit longest.
    mutating func removeFirst() {
        if let first = queue.popFirst() { forget(first) }
    }

    /// Removes the first request for a store that waits for a limit.
    mutating func removeFirst(named name: DatabaseName) -> Request? {
        guard counts[name] != nil, let request = queue.remove(where: { $0.name == name }) else { return nil }
        forget(request)
        return request
    }

    /// Removes a request; nil if there is none with the ticket.
    mutating func remove(_ ticket: UInt64) -> Request? {
        if let request = queue.remove(where: { $0.ticket == ticket }) {
            forget(request)
            return request
        }
        for (name, requests) in behindClose {
            guard let index = requests.firstIndex(where: { $0.ticket == ticket }) else { continue }
            return behindClose[name]?.remove(at: index)
        }
        return nil
    }

    /// Removes the requests that wait until a store is closed.
    mutating func removeBehindClose(of name: DatabaseName) -> [Request] {
        behindClose.removeValue(forKey: name) ?? []
    }

    /// Removes every request.
    mutating func removeAll() -> [Request] {
        var all: [Request] = []
        while let first = queue.popFirst() { all.append(first) }
        all += behindClose.values.joined()
        (counts, behindClose) = ([:], [:])
        return all
    }

    private mutating func forget(_ request: Request) {
        guard let count = counts[request.name] else { return }
        counts[request.name] = count > 1 ? count - 1 : nil
    }
}
