import Strongroom

/// What `backup` and `restore` tell.
struct BackupDetail: Encodable {
    let file: String
    let bytes: Int64
    let tables: Int
    let rows: Int64
    /// What was wrong in the database before, and is in the copy.
    let defect: String?
    let seconds: Double

    init(_ report: BackupReport) {
        file = report.path
        bytes = report.bytes
        tables = report.tables
        rows = report.rows
        defect = report.defect
        seconds = report.duration / .seconds(1)
    }

    /// Shows it to a person.
    func show(_ title: String, _ report: BackupReport) {
        let console = CommandSession.current.console
        let amount = "\(HumanReadable.count(rows)) rows of \(tables) tables, \(HumanReadable.bytes(bytes))"
        console.write("\(title): \(file, .bold), \(amount), read again, in \(HumanReadable.duration(report.duration))")
    }

    /// Throws for a copy with a defect, which is none that a database could be restored from.
    ///
    /// - Throws: ``CommandFailure`` with `defect`.
    func requireWhole() throws {
        guard let defect else { return }
        throw CommandFailure(
            "defect",
            """
            The copy lies at "\(file)", but the database has a defect, and the copy has it, too, so that `restore` \
            will refuse it: \(defect). Mend the database (an index that does not fit is made anew by REINDEX), or copy \
            what is whole with `salvage`; then make another copy.
            """, .dataError)
    }
}

extension CommandProgress {
    /// Tells how far a copy is: half of it is to write it, half to read it again.
    func update(_ progress: WorkProgress) {
        let before: Int64 = progress.phase == .verifying ? progress.total : 0
        guard progress.phase != .checking else { return }
        update(to: before + progress.done, of: 2 * progress.total)
    }
}
