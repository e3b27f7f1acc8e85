/// The expression of a generated column.
///
/// ```swift
/// let total = Column<Double?>("total", generated: .virtual("price * amount"))
/// ```
///
/// Requires SQLite 3.31; see "Generated Columns" (sqlite.org/gencol.html).
public struct Generated: Sendable, Equatable {
    /// The expression, which uses other columns of the row.
    public let expression: SQL
    /// Whether the value is stored with the row, instead of being computed at each read.
    public let isStored: Bool

    /// A generated column that is computed when the row is written.
    ///
    /// - Parameter expression: The expression; no bound values.
    /// - Returns: The description.
    public static func stored(_ expression: SQL) -> Generated { Generated(expression: expression, isStored: true) }

    /// A generated column that is computed when it is read.
    ///
    /// - Parameter expression: The expression; no bound values.
    /// - Returns: The description.
    public static func virtual(_ expression: SQL) -> Generated { Generated(expression: expression, isStored: false) }

    func sql(column: String) throws -> String {
        let features = try EngineFeatures.current()
        guard features.hasGeneratedColumns else {
            throw StrongroomError(
                .notSupported,
                """
                Column "\(column)" is generated, which requires SQLite 3.31, and this engine is \
                \(features.sqliteVersion); link a newer SQLCipher, or compute the value in the program.
                """
            )
        }
        let text = try expression.literalText("the expression of column \"\(column)\"")
        return " GENERATED ALWAYS AS (\(text)) \(isStored ? "STORED" : "VIRTUAL")"
    }
}
