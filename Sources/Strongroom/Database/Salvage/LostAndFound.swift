/// A row that was read from a page without the engine.
struct FoundRow {
    /// The first page of the branch that contains it.
    let page: Int
    /// Its row id, if its table has row ids.
    let id: Int64?
    let fields: [RecordFields.Field]
}

/// The table of a new file for rows whose pages do not identify the table that they belong to.
final class LostAndFound {
    private let target: Connection
    private let isKept: Bool
    /// The names in use.
    private let names: Set<SQLName>
    /// The number of value columns of the table; nil before it is created.
    private var width = 0
    /// The content of the table; nil if it is empty.
    private(set) var content: SalvageReport.LostAndFound?

    private static let fixed = ["page", "candidates", "id", "fields"]

    /// - Parameters:
    ///   - target: The new file.
    ///   - isKept: Whether rows are stored, or only counted.
    init(_ target: Connection, roots: [SchemaRoot], isKept: Bool) {
        self.target = target
        self.isKept = isKept
        names = Set(roots.map { SQLName($0.name) })
    }

    /// Adds the rows that a plan could not attribute to a table, in an open transaction of the target.
    func add(_ plan: SalvagePlan, _ pages: TableSalvage.Pages, checkCancellation: () throws -> Void) throws {
        for (branch, tables) in plan.unattributedBranches {
            var walk = TreeWalk(contents: pages.contents)
            walk.rowContent = .everything
            try walk.walk(branch.top) { event in
                let (id, record): (Int64?, WipedBytes)
                switch event {
                case .row(let rowID, let row, isWhole: true): (id, record) = (rowID, row)
                case .entry(let row, isWhole: true): (id, record) = (nil, row)
                default: return
                }
                try checkCancellation()
                guard let fields = RecordFields(record, encoding: pages.encoding)?.fields else { return }
                try add(FoundRow(page: branch.top, id: id, fields: fields), candidates: tables)
            }
            if content != nil, plan.mayHaveDeletedRows { content?.mayHaveDeletedRows = true }
        }
    }

    /// Adds a row.
    ///
    /// - Parameter candidates: The tables to which it may belong.
    func add(_ row: FoundRow, candidates: [String]) throws {
        var content = content ?? SalvageReport.LostAndFound()
        content.rows += 1
        content.candidates.formUnion(candidates)
        if isKept {
            let table = try content.table ?? make()
            content.table = table
            try widen(table, to: row.fields.count)
            try insert(row, candidates, into: table)
        }
        self.content = content
    }

    private func make() throws -> String {
        let plain = "lost_and_found"
        var name = plain
        var number = 0
        while names.contains(SQLName(name)) {
            name = "\(plain)_\(number)"
            number += 1
        }
        // Without declared types, so that every value is stored unchanged.
        try target.run(
            "CREATE TABLE \(Identifier.quote(name)) (page INTEGER, candidates TEXT, id INTEGER, fields INTEGER)")
        return name
    }

    private func widen(_ table: String, to count: Int) throws {
        while width < count {
            try target.run("ALTER TABLE \(Identifier.quote(table)) ADD COLUMN c\(width)")
            width += 1
        }
    }

    private func insert(_ row: FoundRow, _ candidates: [String], into table: String) throws {
        let columns = Self.fixed + row.fields.indices.map { "c\($0)" }
        let parameters = Array(repeating: "?", count: columns.count).joined(separator: ", ")
        let query = """
            INSERT INTO \(Identifier.quote(table)) (\(columns.joined(separator: ", "))) VALUES (\(parameters))
            """
        try target.withOwnStatement(query) { statement in
            let head: [Value] = [
                .integer(Int64(row.page)), .text(candidates.joined(separator: ", ")),
                row.id.map { .integer($0) } ?? .null, .integer(Int64(row.fields.count)),
            ]
            for (index, value) in head.enumerated() { try Bindings(statement).bind(value, at: index) }
            for (index, field) in row.fields.enumerated() { try statement.bind(field, at: head.count + index) }
            try statement.run()
        }
    }
}
