import Dispatch

@testable import Strongroom
@testable import StrongroomReplication

/// An object store in memory, with any names and contents.
final class MemoryObjects: ObjectStore {
    private let objects: Locked<[String: [UInt8]]>
    let location = "memory"

    init(_ objects: [String: [UInt8]] = [:]) { self.objects = Locked(objects) }

    func create(_ name: String, _ content: [UInt8]) async throws -> Bool {
        objects.withLock { objects in
            guard objects[name] == nil else { return false }
            objects[name] = content
            return true
        }
    }

    func read(_ name: String, _ range: Range<Int>?) async throws -> [UInt8]? {
        guard let content = objects.withLock({ $0[name] }) else { return nil }
        guard let range else { return content }
        require(range.lowerBound >= 0, "no object is read before its beginning")
        return Array(content[min(range.lowerBound, content.count)..<min(range.upperBound, content.count)])
    }

    func list(_ folder: String, after name: String?, count: Int) async throws -> [ObjectEntry] {
        require(count > 0, "a list has an entry")
        let all = entries(in: "\(folder)/").filter { !$0.name.contains("/") }
        return Array(
            all.filter { $0.name.utf8.lexicographicallyPrecedes(name?.utf8 ?? "".utf8) == false }
                .filter { $0.name != name }.prefix(count))
    }

    func listAll(after name: String, count: Int) async throws -> [ObjectEntry]? {
        Array(entries(in: "").filter { name.utf8.lexicographicallyPrecedes($0.name.utf8) }.prefix(count))
    }

    func folders(in folder: String) async throws -> [String] {
        let names = entries(in: "\(folder)/").compactMap { entry in
            entry.name.firstIndex(of: "/").map { String(entry.name[..<$0]) }
        }
        return Set(names).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    func remove(_ names: [String]) async throws {
        objects.withLock { objects in for name in names { objects[name] = nil } }
    }

    private func entries(in folder: String) -> [ObjectEntry] {
        objects.withLock { objects in
            objects.filter { $0.key.utf8.starts(with: folder.utf8) }
                .map {
                    ObjectEntry(
                        name: String(decoding: $0.key.utf8.dropFirst(folder.utf8.count), as: UTF8.self),
                        size: $0.value.count)
                }
        }
        .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }
}

/// Waits for asynchronous work, for libFuzzer's thread.
func wait<T: Sendable>(for work: @escaping @Sendable () async throws -> T) throws -> T {
    let result = Locked<Result<T, any Error>?>(nil)
    let isDone = DispatchSemaphore(value: 0)
    Task {
        let outcome: Result<T, any Error>
        do { outcome = .success(try await work()) } catch { outcome = .failure(error) }
        result.withLock { $0 = outcome }
        isDone.signal()
    }
    isDone.wait()
    guard let result = result.withLock({ $0 }) else { fatalError("the work has a result") }
    return try result.get()
}
