import FaultWork
import Foundation
import Strongroom

/// Work with a passphrase, a raw key and rows that a search through files and memory is to look for.
///
/// They are given masked and lie unmasked only where the library, or a value that is wiped here, holds them; so what a
/// search finds is what was left behind.
struct Secrets {
    /// What each byte is combined with.
    static let mask: UInt8 = 0xA5

    /// The passphrase, the raw key and the row's text, masked.
    private let masked: [[UInt8]]

    /// - Parameter masked: Three numbers in hexadecimal, with dots between.
    init(masked: String) {
        self.masked = masked.split(separator: ".").map { part in
            var bytes: [UInt8] = []
            var rest = part.utf8[...]
            while rest.count > 1 {
                bytes.append(UInt8(Substring(rest.prefix(2)), radix: 16) ?? 0)
                rest = rest.dropFirst(2)
            }
            return bytes
        }
    }

    func run(in directory: String) async {
        do {
            try await work(in: Place(directory))
            // Here, where no key of the program's own is held any more.
            pause("closed")
        } catch {
            print("failed \(error)")
        }
    }

    private func work(in place: Place) async throws {
        let (old, new) = (key(0) { Key.passphrase(bytes: $0) }, key(1) { Key.raw(Array($0)) })
        try await place.open(key(0, Self.chain), Self.migrator).close()
        let store = try await place.open(KeyChain(new, old), Self.migrator)
        for number in 0..<200 { try await store.write { [text = text(number)] db in try insert(number, text, db) } }
        await report { try await store.write { [text = text(0)] db in try insert(0, text, db) } }
        await report {
            try await store.write { [text = text(0)] db in
                try db.execute("UPDATE line SET text = \(text)")
                try db.execute("INSERT INTO missing VALUES (\(text))")
            }
        }
        await report { _ = try await place.open(KeyChain(new), Self.migrator) }
        try await store.vacuum()
        try await store.read { db in try db.forEachRow("SELECT text FROM line ORDER BY text DESC") { _ in } }
        pause("open")
        try await store.close()
        await report { _ = try await place.open(KeyChain(new), Self.migrator) }
    }

    /// Writes, sorts and changes rows of which this program has only halves.
    func runRows(in directory: String) async {
        do {
            try await workWithRows(in: Place(directory))
            pause("closed")
        } catch {
            print("failed \(error)")
        }
    }

    private func workWithRows(in place: Place) async throws {
        let store = try await place.open(KeyChain(key(0) { Key.passphrase(bytes: $0) }), Self.migrator)
        let halves = [unmasked(1), unmasked(2)]
        for number in 0..<2_000 {
            try await store.write { db in
                let (first, second) = (halves[0], halves[1])
                try db.execute(
                    "INSERT INTO line VALUES (\(number), \(first) || \(second) || \(number) || hex(zeroblob(100)))")
            }
        }
        try await store.write { db in
            try db.execute("UPDATE line SET text = text || 'x' WHERE number % 2 = 0")
            try db.execute("DELETE FROM line WHERE number % 3 = 0")
        }
        let count = try await store.read { db in
            var count = 0
            try db.forEachRow("SELECT length(text) FROM line ORDER BY substr(text, 5) || number DESC") { _ in count += 1
            }
            return count
        }
        print("rows \(count)")
        pause("open")
        try await store.close()
    }

    /// Diagnoses and salvages a damaged file of rows that are read without the engine: those of a table without row
    /// ids, and those of a table whose first page is damaged.
    func runSalvage(in directory: String) async {
        do {
            try await workWithDamage(in: Place(directory))
            // What the search through the memory is to find, so that it is known to search.
            let half = unmasked(1)
            withExtendedLifetime(half) { pause("closed") }
        } catch {
            print("failed \(error)")
        }
    }

    private func workWithDamage(in place: Place) async throws {
        let keys = try KeyChain(key(0) { Key.passphrase(bytes: $0) })
        let store = try await place.open(keys, Self.migrator)
        let halves = [unmasked(1), unmasked(2)]
        let (root, pageSize) = try await store.write { db in
            let (first, second) = (halves[0], halves[1])
            try db.execute("CREATE TABLE word (text TEXT PRIMARY KEY, data BLOB) WITHOUT ROWID")
            for number in 0..<500 {
                try db.execute("INSERT INTO line VALUES (\(number), \(first) || \(second) || \(number))")
                // A value of several pages.
                try db.execute(
                    """
                    INSERT INTO word VALUES (\(first) || \(second) || \(number), CAST(\(first) || \(second) || \
                    hex(zeroblob(3000)) AS BLOB))
                    """)
            }
            return (
                try db.value("SELECT rootpage FROM sqlite_master WHERE name = 'line'", as: Int.self) ?? 0,
                try CipherSettings.engineDefault().pageSize
            )
        }
        try await store.close()
        let file = try FileHandle(forUpdating: URL(filePath: place.path))
        try file.seek(toOffset: UInt64((root - 1) * pageSize + 100))
        try file.write(contentsOf: Data([1, 2, 3, 4]))
        try file.close()
        let stores = try place.stores(keys, Self.migrator)
        let diagnosis = try await stores.diagnose(place.fileName)
        print("diagnosed \(diagnosis.finding)")
        let report = try await stores.salvage(place.fileName, to: "\(place.directory)/salvaged.sqlite")
        for table in report.tables { print("salvaged \(table.name) \(table.rowsCopied)") }
    }

    private static let migrator = Migrator {
        Migration("1") { db in
            try db.execute("CREATE TABLE line (number INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE)")
        }
    }

    private func insert(_ number: Int, _ text: String, _ db: borrowing WriteTransaction) throws {
        try db.execute("INSERT INTO line VALUES (\(number), \(text))")
    }

    private func text(_ number: Int) -> String {
        "\(unmasked(2)) \(number)"
    }

    private func unmasked(_ index: Int) -> String {
        String(decoding: masked[index].map { $0 ^ Self.mask }, as: UTF8.self)
    }

    /// The chain of a list of keys, as a key file or a terminal gives it.
    private static func chain(_ bytes: UnsafeRawBufferPointer) throws -> KeyChain {
        var text = Array(bytes)
        defer { for index in text.indices { text[index] = 0 } }
        return try KeyChain(text: text)
    }

    private func key<T>(_ index: Int, _ make: (UnsafeRawBufferPointer) throws -> T) rethrows -> T {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: masked[index].count, alignment: 1)
        defer {
            for offset in buffer.indices { buffer[offset] = 0 }
            buffer.deallocate()
        }
        for (offset, byte) in masked[index].enumerated() { buffer[offset] = byte ^ Self.mask }
        return try make(UnsafeRawBufferPointer(buffer))
    }

    /// Says with which error something fails.
    private func report(_ work: () async throws -> Void) async {
        do {
            try await work()
            print("no error")
        } catch {
            print("error \(error)")
            dump(error)
        }
    }

    private func pause(_ line: String) {
        print(line)
        fflush(nil)
        _ = readLine()
    }
}
