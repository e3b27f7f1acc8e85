import Strongroom
import StrongroomReplication

/// Objects in memory, and the faults of an object store.
final class MemoryObjectStore: ObjectStore {
    /// What happens to a request.
    enum Fault: Sendable {
        /// It is carried out.
        case none
        /// It is refused, and has no effect.
        case refused
        /// It is carried out, and its answer is lost.
        case lostAnswer
    }

    /// Each is another one, as the protocol asks for.
    let place = "memory \(UInt64.random(in: 0 ... .max))"

    private struct State {
        var objects: [String: [UInt8]] = [:]
        var fault: @Sendable (String) -> Fault = { _ in .none }
        var created: [String] = []
        var requests = 0
    }

    private let state = Locked(State())

    /// The objects, by name.
    var objects: [String: [UInt8]] {
        get { state.withLock { $0.objects } }
        set { state.withLock { $0.objects = newValue } }
    }

    /// The names of the objects that were created, in order.
    var created: [String] { state.withLock { $0.created } }
    /// The number of requests.
    var requests: Int { state.withLock { $0.requests } }

    /// Chooses what happens to the creation of objects from now on.
    func onCreate(_ fault: @escaping @Sendable (String) -> Fault) { state.withLock { $0.fault = fault } }

    func create(_ name: String, _ content: [UInt8]) async throws -> Bool {
        try Task.checkCancellation()
        let fault = state.withLock { $0.fault }(name)
        if case .refused = fault { throw Self.unreachable }
        let isNew = state.withLock { state in
            state.requests += 1
            guard state.objects[name] == nil else { return false }
            state.objects[name] = content
            state.created.append(name)
            return true
        }
        if case .lostAnswer = fault { throw StrongroomError(.outcomeUnknown, "The answer was lost.") }
        return isNew
    }

    func read(_ name: String, _ range: Range<Int>?) async throws -> [UInt8]? {
        state.withLock { state in
            state.requests += 1
            guard let object = state.objects[name] else { return nil }
            return Array(object[(range ?? 0..<object.count).clamped(to: 0..<object.count)])
        }
    }

    func list(_ folder: String, after name: String?, count: Int) async throws -> [ObjectEntry] {
        state.withLock { state in
            state.requests += 1
            let names = state.objects.keys.filter { $0.hasPrefix(folder + "/") }.map { $0.dropFirst(folder.count + 1) }
            return names.filter { each in !each.contains("/") && name.map { each > $0 } ?? true }.sorted().prefix(count)
                .map { ObjectEntry(name: String($0), size: state.objects["\(folder)/\($0)"]?.count ?? 0) }
        }
    }

    func listAll(after name: String, count: Int) async throws -> [ObjectEntry]? {
        state.withLock { state in
            state.requests += 1
            return state.objects.filter { $0.key > name }.sorted { $0.key < $1.key }.prefix(count)
                .map { ObjectEntry(name: $0.key, size: $0.value.count) }
        }
    }

    func folders(in folder: String) async throws -> [String] {
        state.withLock { state in
            state.requests += 1
            let beginning = folder.isEmpty ? "" : folder + "/"
            let names = state.objects.keys.filter { $0.hasPrefix(beginning) }.map { $0.dropFirst(beginning.count) }
            return Set(names.compactMap { $0.contains("/") ? $0.split(separator: "/").first.map(String.init) : nil })
                .sorted()
        }
    }

    func remove(_ names: [String]) async throws {
        state.withLock { state in
            for name in names { state.objects[name] = nil }
        }
    }

    static let unreachable = StrongroomError(.objectStoreUnreachable, "The object store is away.")
}
