package import Strongroom

/// Brings a file's lines into a table that is there, in one transaction.
///
/// What a line holds is bound to a statement, never a part of one.
package struct TableImport: Sendable {
    /// A line that was not imported.
    package struct BadLine: Sendable, Equatable, Encodable {
        package let line: Int
        package let reason: String
    }

    /// What was done.
    package struct Report: Sendable, Equatable, Encodable {
        package var inserted = 0
        package var updated = 0
        /// Lines of which the table takes nothing, as a rule with ON CONFLICT IGNORE has it.
        package var unchanged = 0
        /// How many lines are bad; of those the first few.
        package var bad = 0
        package var badLines: [BadLine] = []
    }

    package var table: String
    package var format: RowFormat
    package var separator = UInt8(ascii: ",")
    /// The unique column by which a line finds the row that it changes.
    package var upsertBy: String?
    /// Whether bad lines are left out. If not, one of them undoes everything.
    package var skipsBadLines = false
    /// How many bad lines are told one by one.
    package var badLinesTold = 20

    package init(_ table: String, _ format: RowFormat) {
        self.table = table
        self.format = format
    }

    /// Imports the lines.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - source: Opens the file; called once.
    /// - Throws: ``BadLines`` when there are some and they are not to be skipped; ``CommandFailure`` for a table, a
    ///   column or a header that cannot be used, with `constraint` for a rule that is looked at when all lines are
    ///   written, with `rolledBack` for one that undoes everything; what the store throws. Nothing has been written
    ///   then.
    package func run(
        into store: Store, from source: @escaping @Sendable () throws -> ByteSource
    ) async throws -> Report {
        // Before the write: whoever makes the rows may take long to begin, and others would wait for him.
        let opened = Locked(try source().readingAhead())
        do {
            return try await store.write(as: .immediate, label: "import") { db in
                try write(from: opened.withLock { $0 }, in: db)
            }
        } catch let error as StrongroomError where error.code == .constraint {
            throw Self.refusedAtTheEnd(error)
        }
    }

    private func write(from source: ByteSource, in db: borrowing WriteTransaction) throws -> Report {
        let target = try ImportTarget(table, upsertBy: upsertBy, in: db)
        var lines = try ImportLines(source, format, separator: separator)
        var writer = ImportWriter(target: target)
        if let header = lines.header { writer.header = try target.columns(named: header, isHeader: true) }
        var report = Report()
        var count = 0
        while let line = try lines.next() {
            count += 1
            do {
                // After a bad line the others are only looked at, unless it is skipped: nothing is kept in any case.
                switch try writer.write(line.content, in: db) {
                case .inserted: report.inserted += 1
                case .updated: report.updated += 1
                case .unchanged: report.unchanged += 1
                }
            } catch let fault as ImportWriter.LineFault {
                report.bad += 1
                guard report.badLines.count < badLinesTold else { continue }
                report.badLines.append(BadLine(line: line.number, reason: fault.words))
            } catch let undone as ImportWriter.Undone {
                throw Self.undone(undone, at: line.number)
            }
        }
        guard report.bad == 0 || skipsBadLines else { throw BadLines(report: report, lines: count) }
        return report
    }

    private static func refusedAtTheEnd(_ error: StrongroomError) -> CommandFailure {
        CommandFailure(
            "constraint",
            """
            Nothing was imported: \(error.message) The rule is looked at when all lines are written (DEFERRABLE \
            INITIALLY DEFERRED), so no line can be named, nor left out. Bring in what is missing first, or take the \
            lines out of the file.
            """, .dataError)
    }

    private static func undone(_ undone: ImportWriter.Undone, at line: Int) -> CommandFailure {
        CommandFailure(
            "rolledBack",
            """
            Nothing was imported: line \(line) breaks a rule of the table that undoes the whole transaction (ON \
            CONFLICT ROLLBACK, RAISE(ROLLBACK)): \(undone.words). So the line cannot be left out by --skip-bad either: \
            take it out of the file.
            """, .dataError)
    }
}

/// The failure of an import that met bad lines; nothing was written.
package struct BadLines: Error {
    package let report: TableImport.Report
    /// The lines that were read.
    package let lines: Int

    /// The failure without the lines, when those have been told.
    package var summary: CommandFailure {
        CommandFailure(
            "badLines",
            """
            \(HumanReadable.count(report.bad)) of \(HumanReadable.count(lines)) lines cannot be imported, and nothing \
            was. Mend them, or give --skip-bad to leave them out.
            """, .dataError)
    }

    /// The failure with the lines, on one line.
    package var failure: CommandFailure {
        let told = report.badLines.map { "line \($0.line): \($0.reason)" }.joined(separator: "; ")
        let rest = report.bad - report.badLines.count
        return CommandFailure(
            "badLines",
            """
            \(report.bad) of \(lines) lines cannot be imported, and nothing was: \
            \(told)\(rest > 0 ? "; and \(rest) more" : ""). Mend them, or give --skip-bad to leave them out.
            """, .dataError)
    }
}
