import Foundation
import Strongroom
import StrongroomReplication
import StrongroomTesting
import Testing

/// The network between a host and the object store is cut, another host takes over, and the network is back.
@Suite struct NetworkCutTests {
    @Test(arguments: [Network.End.carriedOut, .lost, .refused])
    func `the host that was cut off is told, and nothing acknowledged is lost`(end: Network.End) async throws {
        let objects = MemoryObjectStore()
        let network = Network(to: objects, end: end)
        let former = try await Clinic(Replica(in: network, interval: .milliseconds(5))).open()
        let acknowledged = Locked<[Int64]>([])
        let writer = Task {
            for id in 1... as PartialRangeFrom<Int64> {
                try await former.writeReplicated { db in
                    _ = try db.execute("INSERT INTO patient VALUES (\(id), 'Ann')")
                }
                acknowledged.withLock { $0.append(id) }
            }
        }
        try await eventually { acknowledged.withLock { $0.count } >= 20 }
        network.cut()
        let replica = Replica(in: objects, interval: .milliseconds(5))
        let successor = try await Stores(Clinic(replica)).takeOver(Clinic.file)
        let found = try await successor.patients()
        #expect(Set(acknowledged.withLock { $0 }).isSubset(of: found.keys))
        for id in 1_000_001...1_000_010 as ClosedRange<Int64> {
            try await successor.writeReplicated { db in
                _ = try db.execute("INSERT INTO patient VALUES (\(id), 'Bob')")
            }
        }
        network.heal()
        let failure = await writer.result
        #expect(throws: StrongroomError.self) { try failure.get() }
        try await eventually { await failureCode { try await former.add(1...1, "Lost") } == .notOwner }
        #expect(former.replication?.status.phase == .lost)

        try await successor.writeReplicated { db in
            _ = try db.execute("INSERT INTO patient VALUES (1000011, 'Bob')")
        }
        try await successor.close()
        try await former.close()
        let restored = try await Clinic.restored(from: replica)
        #expect(Set(restored.keys) == Set(found.keys).union(1_000_001...1_000_011))
        #expect(Set(acknowledged.withLock { $0 }).isSubset(of: restored.keys))
        #expect(!restored.values.contains("Lost"))
    }
}

/// The network between a host and an object store. Requests that are made while it is cut have no answer until it is
/// back.
final class Network: ObjectStore {
    /// What happens then to requests that were under way.
    enum End: Sendable {
        /// They reach the object store late.
        case carriedOut
        /// They reach it late, and their answers are lost.
        case lost
        /// They never reach it.
        case refused
    }

    private struct State {
        var isCut = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    let place: String
    private let objects: MemoryObjectStore
    private let end: End
    private let state = Locked(State())

    init(to objects: MemoryObjectStore, end: End) {
        (self.objects, self.end) = (objects, end)
        place = objects.place
    }

    func cut() { state.withLock { $0.isCut = true } }

    func heal() {
        let waiting = state.withLock { state in
            state.isCut = false
            return state.waiting
        }
        for request in waiting { request.resume() }
    }

    private func carry<T>(_ request: () async throws -> T) async throws -> T {
        guard await isDelayed() else { return try await request() }
        switch end {
        case .carriedOut: return try await request()
        case .lost:
            _ = try await request()
            throw StrongroomError(.outcomeUnknown, "The answer was lost.")
        case .refused: throw MemoryObjectStore.unreachable
        }
    }

    /// Waits while the network is cut.
    ///
    /// - Returns: Whether it was.
    private func isDelayed() async -> Bool {
        guard state.withLock({ $0.isCut }) else { return false }
        await withCheckedContinuation { continuation in
            let isCut = state.withLock { state in
                if state.isCut { state.waiting.append(continuation) }
                return state.isCut
            }
            if !isCut { continuation.resume() }
        }
        return true
    }

    func create(_ name: String, _ content: [UInt8]) async throws -> Bool {
        try await carry { try await objects.create(name, content) }
    }
    func read(_ name: String, _ range: Range<Int>?) async throws -> [UInt8]? {
        try await carry { try await objects.read(name, range) }
    }
    func list(_ folder: String, after name: String?, count: Int) async throws -> [ObjectEntry] {
        try await carry { try await objects.list(folder, after: name, count: count) }
    }
    func folders(in folder: String) async throws -> [String] {
        try await carry { try await objects.folders(in: folder) }
    }
    func remove(_ names: [String]) async throws { try await carry { try await objects.remove(names) } }
}
