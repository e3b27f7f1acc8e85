import Strongroom
import StrongroomReplication

/// Objects in memory of which some requests do something else.
protocol WrappedObjectStore: ObjectStore {
    var objects: MemoryObjectStore { get }
}

extension WrappedObjectStore {
    var place: String { objects.place }

    func create(_ name: String, _ content: [UInt8]) async throws -> Bool { try await objects.create(name, content) }
    func read(_ name: String, _ range: Range<Int>?) async throws -> [UInt8]? { try await objects.read(name, range) }
    func list(_ folder: String, after name: String?, count: Int) async throws -> [ObjectEntry] {
        try await objects.list(folder, after: name, count: count)
    }
    func folders(in folder: String) async throws -> [String] { try await objects.folders(in: folder) }
    func remove(_ names: [String]) async throws { try await objects.remove(names) }
}

/// The code of the error that a closure throws; nil if it throws none, or another one.
func failureCode(_ body: () async throws -> Void) async -> StrongroomError.Code? {
    do {
        try await body()
        return nil
    } catch { return (error as? StrongroomError)?.code }
}
