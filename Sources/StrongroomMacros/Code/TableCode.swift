#if Macros
extension RecordModel {
    /// The members that make the record a table.
    func tableCode(_ table: TableArguments) -> [String] {
        let columns = properties.map { "columns.\($0.name)" }
        let rest =
            ["indexes: indexes"] + (table.history.map { ["history: \(history($0))"] } ?? [])
            + (table.fullText.map { ["fullText: \($0)"] } ?? [])
        let schema = """
            \(prefix)static let schema = Strongroom.TableSchema(
                \(([table.name.swiftLiteral] + columns + rest).joined(separator: ",\n    "))
            )
            """
        return [schema] + table.databaseCode(prefix)
    }

    /// The history; with the version, if there is one.
    private func history(_ source: String) -> String {
        guard let version = properties.first(where: { $0.column.kept == .version }) else { return source }
        return "(\(source) as Strongroom.History).versioned(by: \(version.columnName.swiftLiteral))"
    }
}

extension TableArguments {
    /// The name of the database, if there is one.
    func databaseCode(_ prefix: String) -> [String] {
        guard let database else { return [] }
        return [
            """
            \(prefix)static var databaseName: Swift.String? {
                \(database)
            }
            """
        ]
    }

    /// An additional table for the records of another type.
    func furtherTable(of record: String, _ prefix: String) -> [String] {
        [
            "\(prefix)typealias RecordType = \(record)",
            "\(prefix)typealias Columns = \(record).Columns",
            "\(prefix)typealias Key = \(record).Key",
            """
            \(prefix)static var columns: Columns {
                \(record).columns
            }
            """,
            """
            \(prefix)static let schema = Strongroom.TableSchema(
                \(name.swiftLiteral),
                columns: \(record)._columnDefinitions,
                indexes: indexes
            )
            """,
            """
            \(prefix)static func key(of record: \(record)) -> Key? {
                \(record).key(of: record)
            }
            """,
            """
            \(prefix)static func setKey(_ key: Key, of record: inout \(record)) {
                \(record).setKey(key, of: &record)
            }
            """,
        ] + databaseCode(prefix)
    }
}
#endif
