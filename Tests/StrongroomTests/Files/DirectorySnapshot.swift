import Foundation
import Testing

/// All that a directory holds, with bytes, times and permissions: two of them show what has been touched.
///
/// Not to be taken while a store on a file in the directory is open: reading the file would drop the engine's locks on
/// it.
struct DirectorySnapshot {
    private struct Entry: Equatable {
        let type: FileAttributeType?
        let permissions: Int?
        let node: Int?
        let modified: Date?
        let content: Data?
    }

    private let directory: String
    private let ignored: [String]
    private let entries: [String: Entry]

    /// Looks at a directory.
    ///
    /// - Parameters:
    ///   - directory: The directory's path.
    ///   - ignored: Ends of names that do not count. The lock file may always come and stay; the log's index (`-shm`)
    ///     is no data: the engine makes it anew for the first connection.
    init(_ directory: String, ignoring ignored: [String] = [".lock", "-shm"]) throws {
        self.directory = directory
        self.ignored = ignored
        let names = try FileManager.default.subpathsOfDirectory(atPath: directory)
        let entries = try names.filter { name in !ignored.contains { name.hasSuffix($0) } }.map { name in
            let path = "\(directory)/\(name)"
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            let type = attributes[.type] as? FileAttributeType
            let entry = Entry(
                type: type,
                permissions: attributes[.posixPermissions] as? Int,
                node: attributes[.systemFileNumber] as? Int,
                modified: attributes[.modificationDate] as? Date,
                content: type == .typeRegular ? try Data(contentsOf: URL(filePath: path)) : nil
            )
            return (name, entry)
        }
        self.entries = Dictionary(uniqueKeysWithValues: entries)
    }

    /// The names, in alphabetical order.
    var names: [String] { entries.keys.sorted() }

    /// Checks that all is as it was then.
    func expectUntouched(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let differences = try DirectorySnapshot(directory, ignoring: ignored).differences(from: self)
        #expect(differences == [], sourceLocation: sourceLocation)
    }

    private func differences(from earlier: DirectorySnapshot) -> [String] {
        Set(entries.keys).union(earlier.entries.keys).sorted().compactMap { name in
            switch (earlier.entries[name], entries[name]) {
            case (nil, _): "\(name) is new"
            case (_, nil): "\(name) is gone"
            case (let old?, let new?) where old.content != new.content: "\(name) has other bytes"
            case (let old?, let new?): old == new ? nil : "\(name) was touched: \(old) became \(new)"
            }
        }
    }
}
