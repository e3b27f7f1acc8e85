/// The requests of a service with a file for each tenant, and how long they took.
public struct ServiceLoad: Sendable {
    /// One request: a page of rows is read, or a row is written.
    public struct Request: Sendable {
        public let tenant: Int
        public let isWrite: Bool
        /// The key of the page's first row.
        public let key: Int64
    }

    public static let tenantCount = 1_000
    /// The rows that each tenant has at first.
    public static let rowCount = 200
    public static let pageSize = 20
    /// The stores that may be open at the same time.
    public static let openStores = 100
    public static let requestCount = 5_000
    /// The requests at the same time.
    public static let clients = 32

    /// Tenants by Zipf's law, with the exponent 1: the first one has every seventh request, the last one few. One of
    /// five requests writes.
    public static func requests() -> [Request] {
        var random = SeededGenerator(seed: 23)
        var sums: [Double] = []
        for rank in 1...tenantCount { sums.append((sums.last ?? 0) + 1 / Double(rank)) }
        let total = sums[tenantCount - 1]
        return (0..<requestCount).map { _ in
            let share = Double.random(in: 0..<total, using: &random)
            return Request(
                tenant: sums.firstIndex { $0 > share } ?? 0,
                isWrite: Int.random(in: 0..<5, using: &random) == 0,
                key: Int64.random(in: 1...Int64(rowCount - pageSize), using: &random))
        }
    }

    public static func name(_ tenant: Int) -> String { "tenant_\(tenant).sqlite" }

    /// How long all requests took.
    public let duration: Duration
    /// How long each took, in ascending order.
    private let times: [Duration]

    /// - Parameter times: How long each took.
    public init(duration: Duration, times: [Duration]) {
        self.duration = duration
        self.times = times.sorted()
    }

    /// The time within which a share of the requests was answered.
    public func time(of share: Double) -> Duration {
        times[min(times.count - 1, Int(Double(times.count) * share))]
    }

    /// Makes the requests, each client one after the other.
    public static func run(_ serve: @escaping @Sendable (Request) async throws -> Void) async throws -> ServiceLoad {
        let all = requests()
        let start = ContinuousClock.now
        let times = try await withThrowingTaskGroup(of: [Duration].self) { group in
            for client in 0..<clients {
                group.addTask {
                    var times: [Duration] = []
                    for index in stride(from: client, to: all.count, by: clients) {
                        try await times.append(ContinuousClock().measure { try await serve(all[index]) })
                    }
                    return times
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        return ServiceLoad(duration: ContinuousClock.now - start, times: times)
    }
}
