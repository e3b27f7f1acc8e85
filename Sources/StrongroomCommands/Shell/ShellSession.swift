package import Strongroom

/// The processing of a shell's lines, independent of their source.
package struct ShellSession: Sendable {
    /// The state after a line.
    package enum Next: Sendable, Equatable {
        /// A new statement.
        case statement
        /// The rest of the one that has begun.
        case more
        case quit
    }

    private let store: Store
    private let console: Console
    private let mayWrite: Bool
    /// Whether the first error ends the session, as for a script.
    private let stopsAtErrors: Bool
    private var form = QueryRun.Form.table
    private var typed = SQLStatements()

    package init(_ store: Store, _ console: Console, mayWrite: Bool, stopsAtErrors: Bool) {
        self.store = store
        self.console = console
        self.mayWrite = mayWrite
        self.stopsAtErrors = stopsAtErrors
    }

    /// Discards the incomplete statement.
    package mutating func interrupt() {
        typed = SQLStatements()
    }

    /// Whether a line completes a statement, or is a command of the shell itself.
    package func isFinished(by line: String) -> Bool {
        if typed.isBlank, ShellDirective(line) != nil { return true }
        var typed = typed
        _ = typed.add(line)
        return typed.isBlank
    }

    /// Processes a line.
    ///
    /// - Throws: ``OutputClosed``; errors of a statement, if errors end the session.
    package mutating func accept(_ line: String) async throws -> Next {
        if typed.isBlank, let command = ShellDirective(line) { return try await run(command) }
        if typed.isBlank { typed = SQLStatements() }
        for statement in typed.add(line) {
            guard try await run(statement) else {
                typed = SQLStatements()
                break
            }
        }
        return typed.isBlank ? .statement : .more
    }

    /// Runs the rest of the input without a semicolon.
    package mutating func finish() async throws {
        let last = typed
        typed = SQLStatements()
        if !last.isBlank { _ = try await run(last.rest) }
    }

    /// - Returns: False if it failed.
    private func run(_ sql: String) async throws -> Bool {
        try await telling {
            var query = QueryRun(sql)
            query.form = form
            query.mayWrite = mayWrite
            let outcome = try await query.run(on: store, to: console)
            if outcome.isCut {
                let rows = HumanReadable.count(outcome.rows, "row")
                console.write(
                    "\("Only the first \(rows) of the result: .mode csv shows all.", .dim)", to: .errors)
            }
            if let changed = outcome.reportedChangeCount, changed > 0 {
                console.write(
                    "\("\(HumanReadable.count(changed, "row")) changed", .dim)", to: .errors)
            }
        }
    }

    private func telling(_ work: () async throws -> Void) async throws -> Bool {
        do {
            try await work()
            return true
        } catch let error where !stopsAtErrors {
            guard let report = ErrorReport(error) else { throw error }
            console.write("\("error:", [.bold, .red]) \(report.message)", to: .errors)
            return false
        }
    }

    private mutating func run(_ command: ShellDirective) async throws -> Next {
        switch command {
        case .quit: return .quit
        case .help:
            var table = TextTable([.leading("Command"), .leading("What it does", isFlexible: true)])
            for (name, description) in ShellDirective.descriptions {
                table.append(StyledText(name, .bold), StyledText(description))
            }
            console.write(table)
            console.write(
                """
                Anything else is SQL, which ends with a \
                semicolon\(mayWrite ? "" : ", and is read-only without --write").
                """
            )
        case .tables:
            _ = try await telling { console.write(try await store.read { db in try TableList(in: db) }.table) }
        case .schema(let table):
            _ = try await telling {
                let entries = try await store.read { db in try SchemaText.entries(of: table, in: db) }
                try console.write(lines: SchemaText.sql(entries))
            }
        case .mode(let form):
            guard let form else {
                _ = try await telling { throw CommandFailure("usage", "The modes are table, csv and json.", .usage) }
                break
            }
            self.form = form
        case .unknown(let name):
            _ = try await telling {
                throw CommandFailure("usage", "There is no command \(name); .help lists them.", .usage)
            }
        }
        try console.checkOutput()
        return .statement
    }
}
