import Foundation
import Strongroom

/// The state of one database, as text.
struct StatusView {
    private let name: String
    private let detail: StatusDetail

    init(_ name: String, _ detail: StatusDetail) {
        self.name = name
        self.detail = detail
    }

    func show(on console: Console) {
        console.write("\(name, .bold)")
        for (label, text, style) in facts {
            console.write(lead: "  \(label.filled(to: 8), .dim)  ", paragraph: text, style)
        }
        if let tables = detail.tables, !tables.isEmpty { show(tables, on: console) }
        guard let own = detail.libraryTables, !own.isEmpty else { return }
        let bytes = own.compactMap(\.bytes).reduce(0, +)
        let size = bytes > 0 ? ", \(HumanReadable.bytes(bytes))" : ""
        let count = HumanReadable.count(own.count, "table")
        console.write("")
        console.write("\("Full-text indexes, histories: \(count)\(size).", .dim)")
    }

    private func show(_ tables: [StatusDetail.Table], on console: Console) {
        console.write("")
        let hasBytes = tables.contains { $0.bytes != nil }
        var table = TextTable(
            [.leading("Table", isFlexible: true), .trailing("Rows")] + (hasBytes ? [.trailing("Bytes")] : []))
        for row in tables {
            let rows = row.rows.map { HumanReadable.count($0) } ?? "?"
            let bytes = row.bytes.map { HumanReadable.bytes($0) } ?? ""
            table.append(row: ["\(row.name)", "\(rows)"] + (hasBytes ? ["\(bytes)"] : []))
        }
        console.write(table)
    }

    private var facts: [(String, String, TextStyle)] {
        var facts: [(String, String, TextStyle)] = [
            ("File", detail.path, []),
            ("Size", "\(HumanReadable.bytes(detail.bytes))\(log)", []),
            ("Engine", "SQLCipher \(detail.engine.sqlcipher) (SQLite \(detail.engine.sqlite))", []),
            ("Cipher", cipher, detail.plaintext ? .yellow : []),
        ]
        if let advisories = detail.engine.advisorySummary { facts.insert(("", advisories, .dim), at: 3) }
        facts.append(("Formats", detail.formats.summary, []))
        if detail.cipher != nil, !detail.cipherIsCurrent {
            facts.append(("", "not the settings of new files: to be converted", .yellow))
        }
        if let path = detail.plaintextPath {
            facts.append(("Danger", StatusDetail.danger(ofPlaintext: path), .yellow))
        }
        let isDue = detail.key?.isCurrent == false || detail.envelopeMissing
        facts.append(("Key", detail.keySummary, isDue ? .yellow : []))
        if let slots = detail.slots, !slots.isEmpty {
            let age = detail.dataKeyAgeDays.map { "\(HumanReadable.count($0, "day")) old" } ?? "of unknown age"
            facts.append(("Data key", age, []))
            facts.append(("Slots", slots.map(\.summary).joined(separator: ", "), []))
        }
        facts.append(("Schema", detail.schemaSummary, detail.isPending ? .yellow : []))
        facts.append(("Open in", holders, []))
        if let last = detail.last {
            let times = last.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.formatted(.iso8601))" }
            facts.append(("Last", times.isEmpty ? "in no report" : times.joined(separator: ", "), []))
        }
        if let danger = detail.engine.danger(holders: detail.holders.count) {
            facts.append(("Danger", danger, .yellow))
        }
        return facts
    }

    private var cipher: String { detail.settings?.description ?? "none: not encrypted" }

    private var log: String {
        detail.logBytes.map { ", and \(HumanReadable.bytes($0)) of log" } ?? ""
    }

    private var holders: String {
        guard !detail.holders.isEmpty else { return "no other process" }
        return detail.holders.map { holder in
            holder.name.map { "process \(holder.process) (\($0))" } ?? "process \(holder.process)"
        }.joined(separator: ", ")
    }
}

/// The state of several databases, one row each.
struct StatusTable {
    private let outcomes: [Outcome<StatusDetail>]
    /// Whether another process has any of them open.
    private let hasHolders: Bool

    init(_ outcomes: [Outcome<StatusDetail>]) {
        self.outcomes = outcomes
        hasHolders = outcomes.contains { $0.detail?.holders.isEmpty == false }
    }

    func show(on console: Console) {
        var table = TextTable(
            [
                .leading("Database", isFlexible: true), .trailing("Size"), .leading("Key"), .leading("Cipher"),
                .leading("Version"), .trailing("Rows"),
            ] + (hasHolders ? [.trailing("Open")] : []) + [.leading("To do", isFlexible: true)])
        for outcome in outcomes { table.append(row: row(outcome)) }
        console.write(table)
        for outcome in outcomes {
            guard let error = outcome.error else { continue }
            console.write(
                lead: "\("\(outcome.database):", .red) ", paragraph: error.message, indent: 2, to: .errors)
        }
    }

    private func row(_ outcome: Outcome<StatusDetail>) -> [StyledText] {
        guard let detail = outcome.detail else {
            let empty = [StyledText](repeating: "", count: hasHolders ? 6 : 5)
            return ["\(outcome.database)"] + empty + ["\(outcome.error?.code ?? "failed", .red)"]
        }
        let key = detail.key.map { "\($0.number) of \($0.count)" } ?? ""
        let rows = detail.tables.map { HumanReadable.count($0.reduce(0) { $0 + ($1.rows ?? 0) }) } ?? ""
        let isFailure = outcome.error != nil
        return [
            "\(outcome.database)", "\(HumanReadable.bytes(detail.bytes))", "\(key)",
            "\(detail.settings?.generation ?? "none")", "\(detail.schema.version ?? "")", "\(rows)",
        ] + (hasHolders ? ["\(detail.holders.isEmpty ? "" : "\(detail.holders.count)")"] : [])
            + ["\(outcome.error?.code ?? work(detail), isFailure ? .red : .yellow)"]
    }

    /// The pending work for a database.
    private func work(_ detail: StatusDetail) -> String {
        let works = [
            detail.plaintext || detail.plaintextLeft || !detail.cipherIsCurrent ? "convert" : nil,
            rotation(detail),
            detail.isPending ? "migrate" : nil,
        ]
        return works.compactMap(\.self).joined(separator: ", ")
    }
}

extension StatusTable {
    /// What `rotate` would do; nil if there is nothing. A plaintext file is converted, which gives it its envelope.
    private func rotation(_ detail: StatusDetail) -> String? {
        guard !detail.plaintext else { return nil }
        if detail.envelopeMissing { return "rotate (no envelope yet)" }
        return detail.key?.isCurrent == false ? "rotate" : nil
    }
}

extension String {
    /// The text padded with spaces.
    func filled(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
