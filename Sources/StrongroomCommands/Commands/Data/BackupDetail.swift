import Strongroom

/// The result of `backup` and `restore`.
struct BackupDetail: Encodable, Sendable {
    let file: String
    let bytes: Int64
    let tables: Int
    let rows: Int64
    /// A defect of the database, which the copy has, too.
    let defect: String?
    let seconds: Double
    /// The envelope beside a copy, which belongs to it.
    private(set) var envelope: String?

    init(_ report: BackupReport) {
        file = report.path
        bytes = report.bytes
        tables = report.tables
        rows = report.rows
        defect = report.defect
        seconds = report.duration / .seconds(1)
    }

    /// Names the envelope beside the copy, if there is one.
    func withEnvelope() -> BackupDetail {
        var detail = self
        let path = SideFiles(of: file).envelopes[0]
        if (try? Stores.hasFile(at: path)) == true { detail.envelope = path }
        return detail
    }

    /// A description.
    var summary: String {
        let content = "\(HumanReadable.count(rows, "row")) of \(HumanReadable.count(tables, "table"))"
        return "\(content), \(HumanReadable.bytes(bytes))"
    }

    /// Prints the result.
    func show(_ title: String, _ report: BackupReport) {
        let console = CommandSession.current.console
        console.write("\(title): \(file, .bold), \(summary), read again, in \(HumanReadable.duration(report.duration))")
        if let envelope { console.write(lead: "", paragraph: "Its keys are in \(envelope): keep both files together.") }
    }

    /// The failure of a copy with a defect: no database could be restored from it.
    var failure: CommandFailure? {
        guard let defect else { return nil }
        return CommandFailure(
            "defect",
            """
            The copy is at "\(file)", but the database and the copy have a defect, so `restore` will reject the copy: \
            \(defect). Repair the database (REINDEX rebuilds an index that does not match), or copy the intact rows \
            with `salvage`; then make another copy.
            """, .dataError)
    }
}

extension CommandProgress {
    /// Updates the progress: the first half is writing the copy, the second half verifying it.
    func update(_ progress: WorkProgress) {
        let before: Int64 = progress.phase == .verifying ? progress.total : 0
        guard progress.phase != .checking else { return }
        update(to: before + progress.done, of: 2 * progress.total)
    }
}
