import Foundation

/// A program of another kind at the database, with the key that the database had when it came.
final class ForeignVisitor {
    private let shell: EngineShell
    private let name: String
    private var session: WriterSession
    private var holdsSnapshot = false
    private var isThere = true

    init(_ round: Round, _ key: String, _ name: String) throws {
        shell = try round.engineShell(key: key)
        self.name = name
        session = round.ledger.session(name, groups: 20, rows: 2)
    }

    /// What it writes from here on is told apart from what it wrote before.
    func beginSession(_ round: Round) {
        session = round.ledger.session(name, groups: 20, rows: 2)
    }

    func endSnapshot() {
        if holdsSnapshot { shell.run("COMMIT") }
        holdsSnapshot = false
    }

    /// Does something that such a program does.
    func act(_ round: Round) {
        guard isThere else { return }
        for _ in 0..<round.random.number(1...3) {
            switch round.random.number(1...6) {
            case 1, 2: write()
            case 3: shell.run("PRAGMA wal_checkpoint(TRUNCATE)")
            case 4: shell.run("PRAGMA wal_checkpoint(PASSIVE)")
            case 5 where !holdsSnapshot:
                holdsSnapshot = shell.run("BEGIN; SELECT 'rows ' || count(*) FROM contact")?.contains("rows ") == true
                // Otherwise what it writes next would only seem to be there: BEGIN succeeds where the reading is
                // refused.
                if !holdsSnapshot { shell.run("ROLLBACK") }
            default: endSnapshot()
            }
        }
    }

    /// Inserts rows; in a transaction that is open nothing would be acknowledged.
    private func write() {
        endSnapshot()
        guard session.acknowledged < session.groups.count, !session.mayHaveOneMore else { return }
        // What the shell does not say may have been done.
        if shell.write(session) == .unknown { session.mayHaveOneMore = true }
    }

    func leave() {
        guard isThere else { return }
        isThere = false
        shell.close()
    }
}
