import Foundation
import StrongroomReplication
import Synchronization

/// Objects in one file without a name, so that they do not count as memory; each request takes a time, as one to
/// another host does, and is counted by its kind.
final class CountedObjects: ObjectStore {
    /// The requests of each kind, as object stores charge for them, and what was sent.
    struct Requests {
        var puts = 0
        var lists = 0
        var gets = 0
        var bytes = 0

        static func - (left: Requests, right: Requests) -> Requests {
            Requests(
                puts: left.puts - right.puts, lists: left.lists - right.lists, gets: left.gets - right.gets,
                bytes: left.bytes - right.bytes)
        }
    }

    private struct Folder {
        /// In the order of their names, the last name first: each change has the least name so far.
        var names: [String] = []
        var ranges: [String: Range<Int>] = [:]

        mutating func add(_ name: String, _ range: Range<Int>) {
            ranges[name] = range
            names.insert(name, at: names.lastIndex { $0 > name }.map { $0 + 1 } ?? 0)
        }
    }

    private struct State {
        var folders: [String: Folder] = [:]
        var length = 0
        var requests = Requests()
    }

    let location = "counted"
    private let file: FileHandle
    private let delay: Duration
    private let state = Mutex(State())

    init(in directory: URL, delay: Duration) throws {
        let path = directory.appending(path: "objects-\(UUID().uuidString)").path(percentEncoded: false)
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        guard let file = FileHandle(forUpdatingAtPath: path) else { throw CocoaError(.fileWriteUnknown) }
        try FileManager.default.removeItem(atPath: path)
        self.file = file
        self.delay = delay
    }

    var requests: Requests { state.withLock { $0.requests } }

    private func split(_ name: String) -> (folder: String, name: String) {
        guard let slash = name.lastIndex(of: "/") else { return ("", name) }
        return (String(name[..<slash]), String(name[name.index(after: slash)...]))
    }

    func create(_ name: String, _ content: [UInt8]) async throws -> Bool {
        try await Task.sleep(for: delay)
        let (folder, name) = split(name)
        return try state.withLock { state in
            state.requests.puts += 1
            state.requests.bytes += content.count
            guard state.folders[folder]?.ranges[name] == nil else { return false }
            let range = state.length..<state.length + content.count
            try file.seek(toOffset: UInt64(range.lowerBound))
            try file.write(contentsOf: content)
            state.length = range.upperBound
            state.folders[folder, default: Folder()].add(name, range)
            return true
        }
    }

    func read(_ name: String, _ range: Range<Int>?) async throws -> [UInt8]? {
        try await Task.sleep(for: delay)
        let (folder, name) = split(name)
        return try state.withLock { state in
            state.requests.gets += 1
            guard let whole = state.folders[folder]?.ranges[name] else { return nil }
            let part = (range ?? 0..<whole.count).clamped(to: 0..<whole.count)
            try file.seek(toOffset: UInt64(whole.lowerBound + part.lowerBound))
            return [UInt8](try file.read(upToCount: part.count) ?? Data())
        }
    }

    func list(_ folder: String, after name: String?, count: Int) async throws -> [ObjectEntry] {
        try await Task.sleep(for: delay)
        return state.withLock { state in
            state.requests.lists += 1
            guard let found = state.folders[folder] else { return [] }
            let names = found.names.reversed().lazy.drop { entry in name.map { entry <= $0 } ?? false }
            return names.prefix(count).map { ObjectEntry(name: $0, size: found.ranges[$0]?.count ?? 0) }
        }
    }

    func folders(in folder: String) async throws -> [String] {
        try await Task.sleep(for: delay)
        return state.withLock { state in
            state.requests.lists += 1
            let start = folder + "/"
            return state.folders.keys.filter { $0.hasPrefix(start) && !$0.dropFirst(start.count).contains("/") }
                .map { String($0.dropFirst(start.count)) }.sorted()
        }
    }

    func remove(_ names: [String]) async throws {}
}
