public import Strongroom

/// The error of `expectSQL`: other statements ran.
public struct UnexpectedSQL: Error, Sendable, Equatable, CustomStringConvertible {
    /// The expected statements, with whitespace normalised.
    public let expected: [String]
    /// The statements that ran.
    public let actual: [String]
    /// The file and line of the expectation.
    public let location: String

    /// The first difference, and all statements that ran, ready to be copied.
    public var description: String {
        let index = zip(expected, actual).enumerated().first { $0.element.0 != $0.element.1 }?.offset
        var lines = ["\(self.location): the work ran different SQL than expected."]
        if let index {
            lines.append("statement \(index + 1), expected: \(expected[index])")
            lines.append("statement \(index + 1), ran:      \(actual[index])")
        } else {
            lines.append("expected: \(expected.count.counting("statement")); ran: \(actual.count)")
        }
        lines.append("All statements that ran:")
        lines += actual.map { "    \"\($0.replacing("\"", with: "\\\""))\"," }
        return lines.joined(separator: "\n")
    }
}

extension Reading where Self: ~Copyable {
    /// Expects that work runs exactly these statements, with placeholders in place of values; whitespace is ignored.
    ///
    /// Statements that the library runs for itself, such as savepoints, are not included.
    ///
    /// ```swift
    /// let found = try await store.read { db in
    ///     try db.expectSQL("SELECT `id`, `name` FROM `contact` WHERE `id` = ?1") { try Contact.find(1, in: db) }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - expected: The statements, in order.
    ///   - fileID: The caller's file.
    ///   - line: The caller's line.
    ///   - work: The work, in this transaction.
    /// - Returns: The result of the work.
    /// - Throws: ``UnexpectedSQL`` with the statements that ran; errors of the work.
    @discardableResult
    public func expectSQL<T>(
        _ expected: String..., fileID: String = #fileID, line: Int = #line, _ work: () throws -> T
    ) throws -> T {
        try expectSQL(expected, fileID: fileID, line: line, work)
    }

    func expectSQL<T>(_ expected: [String], fileID: String, line: Int, _ work: () throws -> T) throws -> T {
        var actual: [String] = []
        let result = try watchingStatements { sql, isOwn in
            if !isOwn { actual.append(sql.withPlainSpace) }
        } _: {
            try work()
        }
        let wanted = expected.map(\.withPlainSpace)
        guard wanted == actual else {
            throw UnexpectedSQL(expected: wanted, actual: actual, location: "\(fileID):\(line)")
        }
        return result
    }
}

extension Store {
    /// Expects that a write runs exactly these statements; see `expectSQL` of a transaction.
    ///
    /// ```swift
    /// try await store.expectSQL("DELETE FROM `contact` WHERE `id` = ?1") { db in try Contact.delete(1, in: db) }
    /// ```
    ///
    /// - Parameters:
    ///   - expected: The statements, in order.
    ///   - fileID: The caller's file.
    ///   - line: The caller's line.
    ///   - work: The write.
    /// - Returns: The result of the write.
    /// - Throws: ``UnexpectedSQL`` with the statements that ran, after a rollback; as `Store.write`.
    @discardableResult
    public func expectSQL<T: Sendable>(
        _ expected: String..., fileID: String = #fileID, line: Int = #line,
        _ work: @escaping @Sendable (borrowing WriteTransaction) throws -> T
    ) async throws -> T {
        try await write(as: .immediate) { db in
            try db.expectSQL(expected, fileID: fileID, line: line) { try work(db) }
        }
    }
}

extension String {
    /// With whitespace outside literals and names replaced by a single space.
    fileprivate var withPlainSpace: String {
        var text = ""
        for token in [SQLToken](sql: self) {
            if token.kind == .space, token.text.first?.isWhitespace == true {
                if !text.isEmpty, text.last != " " { text += " " }
            } else {
                text += token.text
            }
        }
        return text.last == " " ? String(text.dropLast()) : text
    }
}
