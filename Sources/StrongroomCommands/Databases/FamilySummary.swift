/// The outcomes of several databases as text: a table, the complete failures, the totals.
struct FamilySummary {
    struct Line {
        let database: String
        let status: String
        let style: TextStyle
        let summary: String
        let duration: Duration
        let message: String?
    }

    let lines: [Line]
    /// The number of databases, including those that were not processed.
    let count: Int

    init<Detail>(_ outcomes: [Outcome<Detail>], count: Int) {
        self.count = count
        lines = outcomes.sorted { $0.database < $1.database }.map { outcome in
            let (mark, style): (String, TextStyle) =
                switch outcome.status {
                case .done: ("done", .green)
                case .skipped: ("skipped", .dim)
                case .failed: ("failed", .red)
                }
            return Line(
                database: outcome.database, status: mark, style: style, summary: outcome.summary,
                duration: outcome.duration, message: outcome.error?.message)
        }
    }

    func show(on console: Console, isComplete: Bool) {
        if count == 1 { return lines.forEach { show($0, on: console) } }
        var table = TextTable([
            .leading("Database", isFlexible: true, minimum: 20), .leading("Result"),
            .leading("What", isFlexible: true, minimum: 20), .trailing("Time"),
        ])
        for line in lines {
            table.append(
                "\(line.database)", "\(line.status, line.style)", "\(line.summary)",
                "\(HumanReadable.duration(line.duration))")
        }
        if !lines.isEmpty { console.write(table) }
        for line in lines {
            guard let message = line.message else { continue }
            console.write(
                lead: "\("\(line.database):", .red) ", paragraph: message, indent: 2, to: .errors)
        }
        console.write("")
        console.write("\(sums(isComplete), .bold)")
    }

    private func show(_ line: Line, on console: Console) {
        // The error describes a failure.
        guard line.message == nil else { return }
        let duration = HumanReadable.duration(line.duration)
        console.write("\("\(line.database):", .bold) \(line.status, line.style), \(line.summary) (\(duration))")
    }

    private func sums(_ isComplete: Bool) -> String {
        let parts = ["done", "skipped", "failed"].compactMap { status in
            let number = lines.count { $0.status == status }
            return number > 0 ? "\(HumanReadable.count(number)) \(status)" : nil
        }
        let rest = count - lines.count
        let left = isComplete || rest == 0 ? [] : ["\(HumanReadable.count(rest)) not begun or interrupted"]
        return "\(HumanReadable.count(count, "database")): \((parts + left).joined(separator: ", "))"
    }
}
