/// Reads the paragraphs of a ``ControlFile`` one at a time.
///
/// ```swift
/// var reader = file.makeReader()
/// while let package = try reader.next() {
///     print(package.name)
/// }
/// ```
///
/// `ParagraphReader` is `Sendable`; a copy continues independently from the same position.
public struct ParagraphReader: Sendable {
    private var scanner: ParagraphScanner
    private var failure: ControlFileError?

    init(scanner: ParagraphScanner) {
        self.scanner = scanner
    }

    /// Reads the next paragraph.
    ///
    /// After an error the reader keeps its position: each further call throws the same error.
    ///
    /// - Returns: The paragraph, or nil after the last one.
    /// - Throws: ``ControlFileError`` with the codes of ``ControlFile/forEachParagraph(_:)``.
    public mutating func next() throws(ControlFileError) -> PackageParagraph? {
        if let failure { throw failure }
        do throws(ControlFileError) {
            guard try scanner.advance() else { return nil }
            return try scanner.withBytes { bytes throws(ControlFileError) in
                try PackageParagraph(
                    ControlParagraph(bytes: bytes, lines: scanner.lines, isClosed: scanner.isClosed)
                )
            }
        } catch {
            failure = error
            throw error
        }
    }
}
