import Foundation
import Strongroom
import StrongroomTesting
import Synchronization
import Testing

/// How long the load lasts: as many minutes as the variable `STRONGROOM_SOAK_MINUTES` says, without it some seconds.
private let minutes = ProcessInfo.processInfo.environment["STRONGROOM_SOAK_MINUTES"].flatMap { Double($0) } ?? 0.1

@Suite("The HTTP service under a long load", .timeLimit(.minutes(Int(minutes) + 15)))
struct SoakTests {
    /// Each of two processes serves for half of the time.
    private static let half = Duration.seconds(minutes * 30)
    /// Memory is compared if there is time for it to settle.
    private static let isLong = minutes >= 10
    private static let clinics = (0..<(isLong ? 40 : 8)).map { "c\($0)" }
    private static let clients = isLong ? 6 : 3
    /// What each half adds at least, however busy the machine is.
    private static let leastWrites = 20
    /// With the smallest page caches, which are full soon and do not grow with the files, and few arenas of the
    /// allocator, each of which retains as much as it once held.
    private static let settings = [
        "CLINICS_LIMITS_OPEN_STORES": isLong ? "10" : "3", "CLINICS_LIMITS_IDLE_TIME_MILLISECONDS": "1000",
        "CLINICS_PATIENCE_SECONDS": "100", "CLINICS_STORE_PAGE_CACHE_BYTES": "131072", "MALLOC_ARENA_MAX": "2",
    ]

    /// How often something is looked at that takes its time on a busy machine, and the pause between.
    private static let patience = 6_000
    private static let pause = Duration.milliseconds(50)

    private let home: TemporaryDirectory
    private let directory: String

    init() throws {
        home = try TemporaryDirectory()
        directory = home.path("clinics")
    }

    /// A load of ten minutes or more also shows that memory, descriptors and threads stay level while it lasts.
    @Test func `no request fails, no descriptor is left, and a kill in a rotation loses no acknowledged write`()
        async throws
    {
        let first = try await ServiceProcess(directory, Self.settings)
        try await create(first)
        let before = try await load(first, firstClient: 0) {
            async let rotation: Void = onThread { _ = try? first.client().request("POST", "/rotation") }
            try await Task.sleep(for: .milliseconds(20))
            first.killNow()
            let status = try await first.wait()
            #expect(status == -9)
            try await rotation
        }

        let second = try await ServiceProcess(directory, Self.settings)
        let idle = try await idleSample(of: second)
        let after = try await load(second, firstClient: Self.clients) {}
        // What was opened for requests, events and rotations is closed again.
        if let idle { try await expect(second, toReturnTo: idle.descriptors) }
        second.requestShutdown()
        #expect(try await second.wait() == 0, "\(second.messages)")

        let keys = try KeyFile("\(directory).keys").keyChain()
        for acknowledged in [before, after] {
            #expect(acknowledged.unexpected.withLock { $0 } == [])
            try await acknowledged.check(in: directory, keys)
        }
    }

    private func create(_ service: ServiceProcess) async throws {
        let statuses = try await onThread {
            let client = try service.client()
            return try Self.clinics.map { try client.request("PUT", "/clinics/\($0)").status }
        }
        #expect(statuses.allSatisfy { $0 == 201 })
    }

    /// Half of the load, with a rotation of all keys every minute, or in a short half twice.
    ///
    /// - Parameter end: What ends it, while the clients send requests.
    private func load(
        _ service: ServiceProcess, firstClient: Int, end: () async throws -> Void
    ) async throws -> Acknowledged {
        let acknowledged = Acknowledged()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0...Self.clients {
                let client = SoakClient(
                    number: firstClient + number, service: service, clinics: Self.clinics, acknowledged: acknowledged)
                group.addTask {
                    try await onThread {
                        do {
                            // The last one follows events.
                            try number < Self.clients ? client.sendRequests() : client.followEvents()
                        } catch is HTTPClient.Disconnected {
                            acknowledged.disconnections.add(1, ordering: .relaxed)
                        }
                    }
                }
            }
            do {
                defer { acknowledged.isOver.store(true, ordering: .relaxed) }
                try await watch(service, acknowledged)
                #expect(acknowledged.disconnections.load(ordering: .relaxed) == 0)
                try await end()
            }
            try await group.waitForAll()
        }
        return acknowledged
    }

    /// Samples the service until its half is over, and rotates all keys from time to time.
    private func watch(_ service: ServiceProcess, _ acknowledged: Acknowledged) async throws {
        let interval = min(Duration.seconds(60), Self.half / 2)
        let start = ContinuousClock.now
        var nextRotation = start + interval
        var samples: [ServiceSample] = []
        while ContinuousClock.now - start < Self.half
            || acknowledged.count.load(ordering: .relaxed) < Self.leastWrites
        {
            // Otherwise no client is left that could write.
            guard acknowledged.disconnections.load(ordering: .relaxed) == 0,
                acknowledged.unexpected.withLock({ $0.isEmpty })
            else { return }
            try await Task.sleep(for: min(.seconds(1), Self.half / 10))
            if let sample = ServiceSample(of: service.identifier) { samples.append(sample) }
            guard ContinuousClock.now >= nextRotation else { continue }
            nextRotation += interval
            let answer = try await onThread { try service.client().request("POST", "/rotation") }
            #expect(answer.status == 200 && answer.body.contains(#""rotated":\#(Self.clinics.count)"#), "\(answer)")
            if Self.isLong, let sample = samples.last {
                let seconds = Int((ContinuousClock.now - start) / .seconds(1))
                let writes = acknowledged.count.load(ordering: .relaxed)
                print(
                    "\(seconds) s: \(writes) writes, \(sample.memory >> 10) kB, \(sample.descriptors) descriptors,",
                    "\(sample.threads) threads")
            }
        }
        guard Self.isLong, !samples.isEmpty else { return }
        // The caches fill first; and what is freed comes in pieces that fit less and less, in the allocator's arenas.
        let early = samples[(samples.count / 3)..<(samples.count / 2)]
        let last = samples[(samples.count * 5 / 6)...]
        #expect(Self.median(last, \.memory) < Self.median(early, \.memory) * 5 / 4)
        #expect(Self.median(last, \.descriptors) < Self.median(early, \.descriptors) + 20)
        #expect(Self.median(last, \.threads) < Self.median(early, \.threads) + 20)
    }

    private static func median(_ samples: ArraySlice<ServiceSample>, _ value: KeyPath<ServiceSample, Int>) -> Int {
        samples.map { $0[keyPath: value] }.sorted()[samples.count / 2]
    }

    /// What the service holds once it has answered a request, its upkeep is done, and its stores are closed.
    private func idleSample(of service: ServiceProcess) async throws -> ServiceSample? {
        let status = try await onThread { try service.client().request("GET", "/clinics/c0/patients").status }
        #expect(status == 200)
        for _ in 0..<Self.patience {
            if service.messages.contains("upkeep is done"), try files(of: service) == 0 {
                return ServiceSample(of: service.identifier)
            }
            try await Task.sleep(for: Self.pause)
        }
        Issue.record("its idle stores are not closed")
        return nil
    }

    private func expect(_ service: ServiceProcess, toReturnTo descriptors: Int) async throws {
        for _ in 0..<Self.patience {
            guard let sample = ServiceSample(of: service.identifier), sample.descriptors > descriptors else { return }
            try await Task.sleep(for: Self.pause)
        }
        Issue.record("\(ServiceSample(of: service.identifier)?.descriptors ?? 0) descriptors, before \(descriptors)")
    }

    /// How many files of clinics the service has open.
    private func files(of service: ServiceProcess) throws -> Int {
        let folder = "/proc/\(service.identifier)/fd"
        guard FileManager.default.fileExists(atPath: folder) else { return 0 }
        let directory = URL(filePath: directory).resolvingSymlinksInPath().path(percentEncoded: false)
        return try FileManager.default.contentsOfDirectory(atPath: folder).count { descriptor in
            let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(descriptor)")
            return path?.hasPrefix("\(directory)/") ?? false
        }
    }
}
