package import Strongroom

/// The tables of a database, with the properties that a diagram shows.
package struct SchemaModel: Sendable, Equatable {
    /// A table.
    package struct Table: Sendable, Equatable {
        package var name: String
        package var columns: [Column]

        package init(name: String, columns: [Column]) {
            (self.name, self.columns) = (name, columns)
        }
    }

    /// A column of a table.
    package struct Column: Sendable, Equatable {
        package var name: String
        package var type: String
        package var isKey = false
        package var isReference = false
        package var isUnique = false
        package var isNullable = true

        package init(name: String, type: String) {
            (self.name, self.type) = (name, type)
        }
    }

    /// A foreign key.
    package struct Reference: Sendable, Equatable {
        package var table: String
        package var columns: [String]
        package var parent: String
        package var parentColumns: [String]
        /// Whether the reference may be NULL.
        package var isOptional: Bool
        /// Whether each row is referenced at most once.
        package var isUnique: Bool

        package init(table: String, columns: [String], parent: String, parentColumns: [String] = []) {
            (self.table, self.columns, self.parent, self.parentColumns) = (table, columns, parent, parentColumns)
            (isOptional, isUnique) = (false, false)
        }
    }

    /// In alphabetical order.
    package var tables: [Table]
    /// In the order of their tables.
    package var references: [Reference]

    package init(tables: [Table], references: [Reference]) {
        self.tables = tables
        self.references = references
    }

    /// Reads the schema.
    package init(in db: borrowing some Reading & ~Copyable) throws {
        tables = []
        references = []
        let names = try db.tableNames()
        for name in names {
            let infos = try db.columns(of: name).filter { !$0.isHidden }
            let uniques = try db.indexes(of: name).filter { $0.isUnique && !$0.isPartial }.map {
                $0.parts.map(\.column)
            }
            var columns = infos.map { info in
                var column = Column(name: info.name, type: info.declaredType)
                column.isKey = info.keyPosition != nil
                column.isUnique = uniques.contains([info.name])
                column.isNullable = info.isNullable && info.keyPosition == nil
                return column
            }
            let key = infos.filter { $0.keyPosition != nil }.map(\.name)
            for var reference in try Self.references(of: name, names, in: db) {
                for index in columns.indices where reference.columns.contains(columns[index].name) {
                    columns[index].isReference = true
                    if columns[index].isNullable { reference.isOptional = true }
                }
                reference.isUnique =
                    Set(key) == Set(reference.columns)
                    || uniques.contains { Set($0) == Set(reference.columns.map(Optional.some)) }
                references.append(reference)
            }
            tables.append(Table(name: name, columns: columns))
        }
    }

    /// See SQLite's documentation, "PRAGMA foreign_key_list" (sqlite.org/pragma.html#pragma_foreign_key_list).
    private static func references(
        of table: String, _ tables: [String], in db: borrowing some Reading & ~Copyable
    ) throws -> [Reference] {
        var found: [Int: Reference] = [:]
        try db.forEachRow("PRAGMA foreign_key_list(\(name: table))") { row in
            let (number, named, column): (Int, String, String) = (try row[0], try row[2], try row[3])
            let parentColumn: String? = try row[4]
            // The name as declared by the table, not as in the foreign key.
            let parent = tables.first { $0.isSameName(as: named) } ?? named
            found[
                number,
                default: Reference(table: table, columns: [], parent: parent)
            ].columns.append(column)
            if let parentColumn { found[number]?.parentColumns.append(parentColumn) }
        }
        // The engine lists foreign keys in reverse order.
        return found.sorted { $0.key > $1.key }.map(\.value)
    }
}
