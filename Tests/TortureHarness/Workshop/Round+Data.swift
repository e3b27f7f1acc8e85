import Foundation

extension Round {
    /// A reading that the tool refused.
    struct Refused: Error {
        let outcome: Outcome
    }

    static let everyRow = "SELECT name, email FROM contact ORDER BY id"

    /// All rows, as the tool reads them.
    func read(_ arguments: [String] = [], prefix: [String]? = nil) throws -> Result<[StoredRow], Refused> {
        let outcome = try tool(["query", Home.database, Self.everyRow, "--csv"] + arguments, prefix: prefix)
        guard outcome.succeeded else { return .failure(Refused(outcome: outcome)) }
        return .success(StoredRow.parse(csv: outcome.output))
    }

    /// Writes one transaction with `query --write`, and compares its exit code with the truth later.
    @discardableResult
    func writing(_ session: WriterSession, prefix: [String]? = nil) throws -> Outcome {
        let sql = StoredRow.insertion(session.groups[session.acknowledged])
        let outcome = try tool(["query", Home.database, sql, "--write"], prefix: prefix)
        note(outcome, session)
        return outcome
    }

    /// Writes a session as one transaction with `import`.
    @discardableResult
    func importing(_ session: WriterSession, prefix: [String]? = nil) throws -> Outcome {
        let path = try file(StoredRow.csv(Array(session.groups.joined())), ending: "csv")
        let outcome = try tool(["import", Home.database, "contact", path], prefix: prefix)
        note(outcome, session)
        return outcome
    }

    /// What an exit code says of a session's next transaction.
    func note(_ outcome: Outcome, _ session: WriterSession) {
        if outcome.succeeded {
            session.acknowledged += 1
        } else if outcome.status == nil || outcome.isHung {
            session.mayHaveOneMore = true
        }
    }

    /// Takes the acknowledgements of a `shell --write`, which says "1 row changed" after each commit.
    func note(shell child: ChildProcess, _ outcome: Outcome, _ session: WriterSession) {
        session.acknowledged = Self.acknowledgements(in: outcome.errors)
        session.mayHaveOneMore = child.wasKilled || outcome.isHung
    }

    static func acknowledgements(in errors: String) -> Int {
        errors.split(separator: "\n").count { $0.hasSuffix(" changed") }
    }

    /// Checks the whole database: every page, then every row through the tool, then through the engine's shell.
    func checkEverything() throws {
        tally.acknowledgedRows += ledger.acknowledgedRows - Fixture.rows
        let verification = try tool(["verify", Home.database])
        if !verification.succeeded, !verification.isHung {
            tally.add(.wrong, "a database that nobody damaged: \(verification.summary) \(verification.output)")
        }
        switch try read() {
        case .success(let rows): tally.problems += ledger.compare(rows, "the tool")
        case .failure(let refused): tally.add(.lost, "it does not open: \(refused.outcome.summary)")
        }
    }

    /// Checks a copy of the database, such as a backup.
    func check(copy path: String, against ledger: Ledger, _ words: String) throws {
        switch try read(["--path", path]) {
        case .success(let rows): tally.problems += ledger.compare(rows, words)
        case .failure(let refused): tally.add(.lost, "\(words) does not open: \(refused.outcome.summary)")
        }
    }

    /// Says in each problem what the round did.
    func label(_ words: String) {
        for index in tally.problems.indices {
            let problem = tally.problems[index]
            tally.problems[index] = Problem(problem.category, "\(words): \(problem.text)")
        }
    }

    /// Deletes an acknowledged row behind everybody's back, which the checks have to find.
    func plantALoss() throws {
        guard isPlanting else { return }
        let token = random.pick(ledger.acknowledgedTokens)
        for key in try home.engineKeys().reversed() {
            let shell = try engineShell(key: key)
            defer { shell.close() }
            if shell.run("DELETE FROM contact WHERE name = '\(token)'; SELECT 'gone ' || changes()")?
                .contains("gone 1") == true
            {
                planted = token
                return
            }
        }
    }
}
