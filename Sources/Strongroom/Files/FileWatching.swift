import Dispatch

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Reports changes of databases' files, whichever process makes them. All files that the process watches share one
/// descriptor of the system, and no thread waits while nothing changes.
///
/// On Linux see inotify(7). Writes through a memory mapping, as those to a WAL index, are not reported.
final class FileWatching: Sendable {
    static let shared = FileWatching()

    /// What is reported of a watched file.
    enum Report {
        /// The file, or its WAL, was written or replaced.
        case change
        /// The system watches the file no longer.
        case loss
    }

    private struct Watched {
        let path: String
        let report: @Sendable (Report) -> Void
        /// The system's numbers of the watches.
        var watches: Set<Int32>
    }

    private struct State {
        var queue: SystemWatches?
        var files: [UInt64: Watched] = [:]
        /// The files that need a watch; the directory's may be needed by several.
        var owners: [Int32: Set<UInt64>] = [:]
        var lastFile: UInt64 = 0
    }

    private let state = Locked(State())

    /// How long changes are collected before the next ones are reported, in microseconds: a program that writes without
    /// pause wakes this one up some hundred times per second and no more.
    private static let pause: UInt32 = 3_000

    /// Watches a database's file and its WAL.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - report: Called for each change, on a queue of the watches; must return quickly.
    /// - Returns: The watch, which ends when it is deinitialized; nil if the system does not report changes of the
    ///   file, or has no watch left.
    func watch(_ path: String, _ report: @escaping @Sendable (Report) -> Void) -> FileWatch? {
        guard SystemWatches.isReliable(path) else { return nil }
        let file = state.withLock { state -> UInt64? in
            guard let queue = open(&state) else { return nil }
            guard let watches = queue.add(path) else {
                close(&state)
                return nil
            }
            state.lastFile += 1
            state.files[state.lastFile] = Watched(path: path, report: report, watches: watches)
            for watch in watches { state.owners[watch, default: []].insert(state.lastFile) }
            return state.lastFile
        }
        return file.map { FileWatch($0, self) }
    }

    /// Watches the files that are at the path now.
    fileprivate func renew(_ file: UInt64) {
        let lost = state.withLock { renew(file, &$0) ? nil : $0.files[file]?.report }
        lost?(.loss)
    }

    fileprivate func end(_ file: UInt64) {
        state.withLock { state in
            guard let watched = state.files.removeValue(forKey: file) else { return }
            remove(watched.watches, of: file, &state)
            close(&state)
        }
    }

    private func open(_ state: inout State) -> SystemWatches? {
        if state.queue == nil {
            state.queue = SystemWatches { [weak self] in
                self?.reportChanges()
                // On a thread that the system provides; what changes meanwhile is reported together.
                usleep(Self.pause)
            }
        }
        return state.queue
    }

    /// Closes the descriptor when no file is watched.
    private func close(_ state: inout State) {
        guard state.files.isEmpty else { return }
        state.queue.take()?.close()
        state.owners = [:]
    }

    private func remove(_ watches: Set<Int32>, of file: UInt64, _ state: inout State) {
        for watch in watches {
            state.owners[watch]?.remove(file)
            guard state.owners[watch]?.isEmpty == true else { continue }
            state.owners[watch] = nil
            state.queue?.remove(watch)
        }
    }

    /// - Returns: False if the file cannot be watched any more.
    private func renew(_ file: UInt64, _ state: inout State) -> Bool {
        guard let watched = state.files[file], let queue = state.queue else { return true }
        guard let watches = queue.add(watched.path) else { return false }
        state.files[file]?.watches = watches
        for watch in watches { state.owners[watch, default: []].insert(file) }
        remove(watched.watches.subtracting(watches), of: file, &state)
        return true
    }

    private func reportChanges() {
        var reports: [@Sendable (Report) -> Void] = []
        var losses: [@Sendable (Report) -> Void] = []
        state.withLock { state in
            guard let changes = state.queue?.changes() else { return }
            var files: Set<UInt64> = changes.hasOverflowed ? Set(state.files.keys) : []
            var replaced = files
            for watch in changes.changed { files.formUnion(state.owners[watch, default: []]) }
            for watch in changes.replaced { replaced.formUnion(state.owners[watch, default: []]) }
            for (watch, names) in changes.created {
                for file in state.owners[watch, default: []] {
                    guard let path = state.files[file]?.path else { continue }
                    let own = [path, SideFiles(of: path).log].map(FileSystem.name(of:))
                    if own.contains(where: names.contains) { replaced.insert(file) }
                }
            }
            for watch in changes.ended { state.owners[watch] = nil }
            for file in replaced where !renew(file, &state) { losses += [state.files[file]?.report].compactMap(\.self) }
            // After renewing: what was written to a new file before it was watched is found by the caller now.
            reports = files.union(replaced).compactMap { state.files[$0]?.report }
        }
        for report in reports { report(.change) }
        for report in losses { report(.loss) }
    }
}

/// A watched file; the watch ends when it is deinitialized.
final class FileWatch: Sendable {
    private let file: UInt64
    private let watching: FileWatching

    fileprivate init(_ file: UInt64, _ watching: FileWatching) {
        self.file = file
        self.watching = watching
    }

    /// Watches the files that are at the path now, after others have been put there.
    func renew() {
        watching.renew(file)
    }

    deinit {
        watching.end(file)
    }
}
