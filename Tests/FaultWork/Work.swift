package import Strongroom

/// One kind of work on a database that may be interrupted at any moment.
///
/// It comes in steps, and after any interruption the file must stand after one of them: not before one that was
/// acknowledged, with exactly the rows that belong to it. To add a kind, write a type and put it into ``Works``.
package protocol Work: Sendable {
    /// How the victim and the table of outcomes call it.
    var name: String { get }

    /// The number of steps that an undisturbed run does.
    var steps: Int { get }

    /// Whether each undisturbed run makes the same calls. Not so where work in the background depends on the time.
    var isRepeatable: Bool { get }

    /// Whether there is a file before the first step.
    var beginsWithFile: Bool { get }

    /// Makes the file as it is before the first step.
    ///
    /// - Returns: The store, open; nil when the work begins without a file.
    func prepare(in place: Place) async throws -> Store?

    /// The keys with which a file that was just prepared opens.
    func firstKeys() throws -> KeyChain

    /// How a file that was just prepared is encrypted.
    func firstCipher() throws -> CipherSettings

    /// Does the steps that are still to be done, and leaves nothing open.
    ///
    /// - Parameter acknowledge: Takes the number of steps that are done for good.
    func run(in place: Place, acknowledge: @escaping Acknowledge) async throws

    /// Opens the file without doing anything of the work, and reads which step it stands after, and all rows.
    func look(in place: Place) async throws -> Sight

    /// The rows after a step, as ``look(in:)`` gives them.
    func rows(after step: Int) -> [String]
}

package typealias Acknowledge = @Sendable (Int) -> Void

/// What a file holds.
package struct Sight: Sendable, Equatable {
    /// The step after which it stands; 0 for none.
    package let step: Int
    /// All rows, in order.
    package let rows: [String]
    /// What the engine's integrity check says: `ok`.
    package let integrity: String

    /// What there is without a file.
    package static let nothing = Sight(step: 0, rows: [], integrity: "ok")

    init(step: Int, rows: [String], integrity: String) {
        self.step = step
        self.rows = rows
        self.integrity = integrity
    }

    init(step: Int, rows: [String], checking db: borrowing ReadTransaction) throws {
        try self.init(step: step, rows: rows, integrity: db.value("PRAGMA integrity_check") ?? "")
    }
}

extension Work {
    package var isRepeatable: Bool { true }

    package var beginsWithFile: Bool { true }

    package func firstKeys() throws -> KeyChain { try KeyChain(.old) }

    package func firstCipher() throws -> CipherSettings { try .engineDefault() }

    /// Opens the file, works with it and closes it again, also when the work fails.
    package func using<Result>(
        _ place: Place, _ keys: KeyChain, _ migrator: Migrator?, _ ciphers: [CipherSettings]? = nil,
        _ work: (Store) async throws -> Result
    ) async throws -> Result {
        let store = try await place.open(keys, migrator, ciphers)
        do {
            let result = try await work(store)
            // What cannot be brought into the file stays in the log: nothing is lost, and the next opening finds it.
            try await place.againWithSpace { try await store.close() }
            return result
        } catch {
            // The first failure is what counts.
            try? await store.close()
            throw error
        }
    }
}

extension Key {
    /// The key of a file that was just prepared; raw, so that opening costs no derivation.
    package static let old = Key.raw(Array(1...32))
    /// The key that a file is rotated to.
    package static let new = Key.raw(Array(101...132))
}

/// All kinds of work, and some that are wrong on purpose.
package enum Works {
    /// What must hold at any fault.
    package static let all: [any Work] =
        [WriteWork(), MigrateWork(), MigrateWork(rotates: true), CreateWork(), RestoreWork(), ReplicateWork()]
        + RewriteWork.all
        + EnvelopeWork.Kind.allCases.map { EnvelopeWork($0) }
        + [BackupWork()] + BackupRestoreWork.Kind.allCases.map { BackupRestoreWork($0) }

    /// What shows that the tests notice: each breaks a promise.
    package static let faulty: [any Work] = [WriteWork(flaw: .acknowledgesEarly), WriteWork(flaw: .commitsHalves)]

    package static func named(_ name: String) -> (any Work)? {
        (all + faulty).first { $0.name == name }
    }
}

/// Numbered lines of text that change from round to round, and what they must be after each: as they are written with
/// SQL, and as they are reckoned without it.
enum Lines {
    private static let first = 40
    private static let added = 5

    static let migrator = Migrator {
        Migration("1") { db in
            try db.execute(
                "CREATE TABLE line (number INTEGER PRIMARY KEY, round INTEGER NOT NULL, text TEXT NOT NULL)")
            try db.execute("CREATE INDEX line_text ON line (text)")
            try db.execute("CREATE TABLE tally (round INTEGER NOT NULL)")
        }
    }

    /// Text of one to some hundred bytes, and now and then one that is longer than a page.
    private static func text(_ number: Int) -> String {
        "line \(number) " + String(repeating: "x", count: number % 13 == 0 ? 3_000 : number * 7 % 200)
    }

    static func fill(_ db: borrowing WriteTransaction) throws {
        for number in 1...first { try insert(number, round: 0, db) }
        try db.execute("INSERT INTO tally VALUES (0)")
    }

    private static func insert(_ number: Int, round: Int, _ db: borrowing WriteTransaction) throws {
        try db.execute("INSERT INTO line (number, round, text) VALUES (\(number), \(round), \(text(number)))")
    }

    /// The first half of a round.
    static func insert(_ round: Int, _ db: borrowing WriteTransaction) throws {
        for number in 1...added { try insert(1_000 * round + number, round: round, db) }
    }

    /// The second half.
    static func change(_ round: Int, _ db: borrowing WriteTransaction) throws {
        try db.execute("UPDATE line SET round = \(round) WHERE number % 7 = \(round)")
        try db.execute("DELETE FROM line WHERE number = \(round)")
        try db.execute("UPDATE tally SET round = \(round)")
    }

    static func round(_ db: borrowing ReadTransaction) throws -> Int {
        try db.value("SELECT round FROM tally") ?? -1
    }

    static func sight(of store: Store) async throws -> Sight {
        try await store.read { db in
            var rows: [String] = []
            try db.forEachRow("SELECT number, round, text FROM line ORDER BY number") { row in
                rows.append("\(try row[0] as Int) \(try row[1] as Int) \(try row[2] as String)")
            }
            return try Sight(step: round(db), rows: rows, checking: db)
        }
    }

    static func rows(after round: Int) -> [String] {
        var lines: [Int: Int] = [:]
        for number in 1...first { lines[number] = 0 }
        for round in 0..<round {
            for number in 1...added { lines[1_000 * (round + 1) + number] = round + 1 }
            for number in lines.keys where number % 7 == round + 1 { lines[number] = round + 1 }
            lines[round + 1] = nil
        }
        return lines.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value) \(text($0.key))" }
    }
}
