/// A type that is stored as JSON text: ``JSON``, and texts.
public protocol JSONTextValue: ColumnValue {}

extension JSON: JSONTextValue {}
extension String: JSONTextValue {}

/// Parts of columns that contain JSON text.
///
/// A path is written as in SQLite's documentation, "JSON Functions And Operators", section 3 (sqlite.org/json1.html).
/// An engine without the JSON functions is asked at run time: running the statement throws ``StrongroomError`` with
/// `notSupported` before the engine sees it. For a text that is no JSON, or a wrong path, it throws `sql`.
extension SQLExpression where Value.Unwrapped: JSONTextValue {
    /// The value at a path.
    ///
    /// ```swift
    /// let local = try Patient.where { $0.address.jsonValue(at: "$.city", as: String.self) == "Bonn" }.fetch(in: db)
    /// ```
    ///
    /// - Parameters:
    ///   - path: The path; it is bound, not part of the SQL.
    ///   - type: The type of the value: a text, a number, or a `Bool`; an array or an object is read as JSON text.
    /// - Returns: The value; nil if there is none at the path, or a JSON null.
    public func jsonValue<V: ColumnValue>(at path: String, as type: V.Type = V.self) -> Computed<V.Unwrapped?> {
        Computed(enclosed: json("json_extract(\(sql), \(path))"))
    }

    /// The number of elements of the array at a path.
    ///
    /// - Parameter path: The path; that of the whole value if none is given.
    /// - Returns: The number; 0 for a value that is no array, nil if there is none.
    public func jsonCount(at path: String = "$") -> Computed<Int?> {
        Computed(enclosed: json("json_array_length(\(sql), \(path))"))
    }

    /// Whether the array at a path has an element.
    ///
    /// ```swift
    /// let allergic = try Patient.where { $0.profile.jsonContains("nuts", at: "$.allergies") }.fetch(in: db)
    /// ```
    ///
    /// - Parameters:
    ///   - element: A text, a number or a `Bool`; it is found among elements of its JSON type only, so 1 is not `true`.
    ///   - path: The path; that of the whole value if none is given.
    /// - Returns: The condition; false if there is no array at the path.
    public func jsonContains<V: ColumnValue>(_ element: V, at path: String = "$") -> Condition {
        // The column is selected outside of the function's scope, in which a column could have its name.
        let rows: SQL = "(SELECT \(sql) AS `j`) AS `j`, json_each(`j`.`j`, \(path)) AS `e`"
        let match: SQL = "`e`.`type` IN (\(Self.jsonTypes(of: element))) AND `e`.`value` = \(element)"
        // In the first term, too, the column is named, where ambiguous names of nested queries are found.
        let isArray: SQL = "json_type(\(sql), \(path)) = 'array'"
        return Condition(enclosed: json("(\(isArray) AND EXISTS (SELECT 1 FROM \(rows) WHERE \(match)))"))
    }

    /// The JSON types, as the engine names them, of elements that may equal a value.
    private static func jsonTypes(of element: some ColumnValue) -> SQL {
        if element is Bool { return "'true', 'false'" }
        return switch try? element.stored() {
        case .text?: "'text'"
        case .integer?, .real?: "'integer', 'real'"
        default: "'null'"
        }
    }

    private func json(_ sql: SQL) -> SQL {
        var sql = sql
        sql.require(\.hasJSON, "JSON functions")
        return sql
    }
}
