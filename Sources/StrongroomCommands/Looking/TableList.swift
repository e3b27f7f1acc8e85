package import Strongroom

/// The tables and views of a database.
package struct TableList: Sendable, Equatable, Encodable {
    /// A table or a view.
    package struct Entry: Sendable, Equatable, Encodable {
        package var name: String
        package var kind: String
        /// Nil if it cannot be read.
        package var columns: Int?
        /// Nil for a view, whose rows would have to be computed, and if it cannot be read.
        package var rows: Int64?
        /// The error code if it cannot be read, such as a virtual table of a missing module; otherwise nil.
        package var error: String?

        package init(name: String, kind: String, columns: Int?, rows: Int64? = nil, error: String? = nil) {
            (self.name, self.kind, self.columns, self.rows, self.error) = (name, kind, columns, rows, error)
        }

        /// - Parameter measure: Reads the number of columns and the number of rows.
        fileprivate init(name: String, kind: String, measure: () throws -> (Int, Int64?)) throws {
            do {
                let (columns, rows) = try measure()
                self.init(name: name, kind: kind, columns: columns, rows: rows)
            } catch let error as StrongroomError where error.concernsOneTable {
                self.init(name: name, kind: kind, columns: nil, error: "\(error.code)")
            }
        }
    }

    package var tables: [Entry]

    /// Reads the list, and counts the rows of each table. A table that cannot be read is listed nevertheless.
    ///
    /// - Parameter progress: Called with the number of finished tables and views and the total.
    package init(
        in db: borrowing some Reading & ~Copyable, progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws {
        tables = []
        let names = try db.tableNames()
        var views: [String] = []
        try db.forEachRow("SELECT name FROM sqlite_master WHERE type = 'view' ORDER BY name") { row in
            let name: String = try row[0]
            // The library's own, as those of full-text indexes.
            if !name.hasPrefix("strongroom_") { views.append(name) }
        }
        let total = names.count + views.count
        for name in names {
            progress(tables.count, total)
            tables.append(
                try Entry(name: name, kind: "table") {
                    let columns = try db.columns(of: name).filter { !$0.isHidden }.count
                    return (columns, try db.value("SELECT count(*) FROM \(name: name)"))
                })
        }
        for name in views {
            progress(tables.count, total)
            tables.append(try Entry(name: name, kind: "view") { (try db.columns(of: name).count, nil) })
        }
    }

    package var table: TextTable {
        var table = TextTable([
            .leading("Name", isFlexible: true), .leading("Kind"), .trailing("Columns"), .trailing("Rows"),
        ])
        for entry in tables {
            table.append(
                StyledText(entry.name), StyledText(entry.kind), StyledText(entry.columns.map { String($0) } ?? ""),
                StyledText(entry.error == nil ? entry.rows.map { HumanReadable.count($0) } ?? "" : "unreadable"))
        }
        return table
    }
}

extension StrongroomError {
    /// Whether the error is specific to one table: the work was not interrupted, and the store is open.
    var concernsOneTable: Bool { ![.interrupted, .closed, .busy, .locked].contains(code) }
}
