/// What the engine computes a column from.
///
/// ```swift
/// let total = Column<Double?>("total", generated: .virtual("price * amount"))
/// ```
///
/// Known from SQLite 3.31 on; see "Generated Columns" (sqlite.org/gencol.html).
public struct Generated: Sendable, Equatable {
    /// The expression, of the row's other columns.
    public let expression: SQL
    /// Whether the value is stored with the row, and not computed at each reading.
    public let isStored: Bool

    /// A column that is computed when the row is written.
    ///
    /// - Parameter expression: The expression; no bound values.
    /// - Returns: The description.
    public static func stored(_ expression: SQL) -> Generated { Generated(expression: expression, isStored: true) }

    /// A column that is computed when it is read.
    ///
    /// - Parameter expression: The expression; no bound values.
    /// - Returns: The description.
    public static func virtual(_ expression: SQL) -> Generated { Generated(expression: expression, isStored: false) }

    func sql(column: String) throws -> String {
        let features = try EngineFeatures.current()
        guard features.hasGeneratedColumns else {
            throw StrongroomError(
                .schemaChange,
                """
                Column "\(column)" is generated, which SQLite knows from 3.31 on, and this engine is \
                \(features.sqliteVersion); link a newer SQLCipher, or compute the value in the program.
                """
            )
        }
        let text = try expression.literalText("the expression of column \"\(column)\"")
        return " GENERATED ALWAYS AS (\(text)) \(isStored ? "STORED" : "VIRTUAL")"
    }
}
