package import Strongroom

/// Imports the lines of a file into an existing table, in one transaction.
///
/// Values are always bound to a statement, never part of its text.
package struct TableImport: Sendable {
    /// A line that was not imported.
    package struct BadLine: Sendable, Equatable, Encodable {
        package let line: Int
        package let reason: String
    }

    /// The result of an import.
    package struct Report: Sendable, Equatable, Encodable {
        package var inserted = 0
        package var updated = 0
        /// The number of lines that the table skips, as a constraint with ON CONFLICT IGNORE does.
        package var unchanged = 0
        /// The number of bad lines.
        package var bad = 0
        package var badLines: [BadLine] = []
    }

    package var table: String
    package var format: RowFormat
    package var separator = UInt8(ascii: ",")
    /// The unique column that identifies the row that a line changes.
    package var upsertBy: String?
    /// Whether bad lines are skipped. If not, one of them rolls everything back.
    package var skipsBadLines = false
    /// The maximum number of bad lines that are reported individually.
    package var maxBadLinesReported = 20

    package init(_ table: String, _ format: RowFormat) {
        self.table = table
        self.format = format
    }

    /// Imports the lines.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - source: Opens the file; called once.
    /// - Throws: ``BadLines`` if there are some and they are not to be skipped; ``CommandFailure`` for a table, a
    ///   column or a header that cannot be used, with `constraint` for a constraint that is checked after all lines are
    ///   written, with `rolledBack` for one that rolls everything back; errors of the store. Nothing has been written
    ///   then.
    package func run(
        into store: Store, from source: @escaping @Sendable () throws -> ByteSource
    ) async throws -> Report {
        // Before the write: the source may be slow to start, and other writers would wait.
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
                // After a bad line the others are only checked, unless bad lines are skipped: nothing will be
                // committed.
                switch try writer.write(line.content, in: db) {
                case .inserted: report.inserted += 1
                case .updated: report.updated += 1
                case .unchanged: report.unchanged += 1
                }
            } catch let fault as ImportWriter.LineFault {
                report.bad += 1
                guard report.badLines.count < maxBadLinesReported else { continue }
                report.badLines.append(BadLine(line: line.number, reason: fault.reason))
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
            Nothing was imported: \(error.message) The constraint is checked after all lines are written \
            (DEFERRABLE INITIALLY DEFERRED), so the line cannot be identified or skipped. Import the missing rows \
            first, or remove the lines from the file.
            """, .dataError)
    }

    private static func undone(_ undone: ImportWriter.Undone, at line: Int) -> CommandFailure {
        CommandFailure(
            "rolledBack",
            """
            Nothing was imported: line \(line) violates a constraint of the table that rolls back the whole \
            transaction (ON CONFLICT ROLLBACK, RAISE(ROLLBACK)): \(undone.reason). --skip-bad cannot skip the line \
            either: remove it from the file.
            """, .dataError)
    }
}

/// The error of an import with bad lines; nothing was written.
package struct BadLines: Error {
    package let report: TableImport.Report
    /// The number of lines that were read.
    package let lines: Int

    /// The error without the lines, if they have already been printed.
    package var summary: CommandFailure {
        CommandFailure(
            "badLines",
            """
            \(HumanReadable.count(report.bad)) of \(HumanReadable.count(lines, "line")) cannot be imported, and \
            nothing was. Correct them, or use --skip-bad to skip them.
            """, .dataError)
    }

    /// The error with the lines, in a single line.
    package var failure: CommandFailure {
        let list = report.badLines.map { "line \($0.line): \($0.reason)" }.joined(separator: "; ")
        let rest = report.bad - report.badLines.count
        return CommandFailure(
            "badLines",
            """
            \(report.bad) of \(HumanReadable.count(lines, "line")) cannot be imported, and nothing was: \
            \(list)\(rest > 0 ? "; and \(rest) more" : ""). Correct them, or use --skip-bad to skip them.
            """, .dataError)
    }
}
