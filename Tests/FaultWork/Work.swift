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
