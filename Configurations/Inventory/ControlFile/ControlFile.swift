/// A Debian control file that lists packages, such as dpkg's status file or one of apt's `Packages` lists.
///
/// ``read(path:ending:)`` and ``parse(bytes:ending:)`` scan the whole text once: they reject text that is not a control
/// file or is truncated, and count the paragraphs. The paragraphs are then read one at a time, so that memory usage is
/// constant: a file is read in chunks of 256 KiB and is never written.
///
/// ```swift
/// let file = try ControlFile.read(path: "/var/lib/dpkg/status")
/// var done = 0
/// try file.forEachParagraph { package in
///     done += 1
///     print("\(done) of \(file.paragraphCount): \(package.name) \(package.version)")
/// }
/// ```
///
/// ## Format
///
/// Field names are case-insensitive. A field may continue over several lines, lines may end in CR LF, lines that start
/// with `#` are comments, paragraphs are separated by any number of blank lines (which may contain spaces and tabs),
/// and a byte order mark is skipped. Fields that ``PackageParagraph`` does not contain are checked for syntax and
/// ignored. A line has at most 1 MiB, a paragraph at most 16 MiB and 1,024 fields.
///
/// ## Detection of truncated files
///
/// Both dpkg and apt's archives end every paragraph, including the last one, with a blank line. A text that is
/// truncated at any byte inside a paragraph, including its closing blank line, is therefore rejected as
/// ``ControlFileError/Code/truncated`` before the first paragraph is returned. Two cases cannot be detected: truncation
/// exactly after a blank line (the rest is a complete, shorter file) and after complete comment lines that follow a
/// blank line. With ``Ending/endOfFile`` less is detected; see there.
///
/// `ControlFile` is `Sendable`: several tasks may read one value concurrently, each with its own reader.
///
/// ## Topics
///
/// ### Opening
/// - ``read(path:ending:)``
/// - ``parse(bytes:ending:)``
/// - ``Ending``
///
/// ### Taking the paragraphs
/// - ``paragraphCount``
/// - ``forEachParagraph(_:)``
/// - ``makeReader()``
/// - ``paragraphs()``
public struct ControlFile: Sendable {
    /// How a complete control file ends. It is `Sendable`.
    public enum Ending: Sendable {
        /// A blank line ends the last paragraph, as in files of dpkg and apt's archives. Any truncation inside a
        /// paragraph is detected.
        case blankLine

        /// The last paragraph may also end with the file, as in files written by hand or by other programs.
        ///
        /// A text whose last line has no line end is still rejected, and so is one whose last paragraph ends before its
        /// required fields. Truncation at the end of a line after the required fields is **not** detected: that
        /// paragraph lacks its later fields, or the rest of the truncated field. Use this for files that are known to
        /// be complete.
        case endOfFile
    }

    /// The number of paragraphs, counted when the file was opened; comments alone make no paragraph.
    public let paragraphCount: Int

    private let source: ControlFileSource
    private let ending: Ending
    private let start: Int

    /// Opens the control file at `path`, checks that it is complete and counts its paragraphs.
    ///
    /// ```swift
    /// let file = try ControlFile.read(path: "/var/lib/dpkg/status")
    /// print(file.paragraphCount)
    /// ```
    ///
    /// The file stays open for reading as long as the value, or one of its readers, exists. dpkg and apt replace their
    /// files by renaming, so that an open file does not change.
    ///
    /// - Parameters:
    ///   - path: A regular file, uncompressed, absolute or relative to the working directory.
    ///   - ending: How the file ends; dpkg's and apt's files end with a blank line.
    /// - Returns: The opened file.
    /// - Throws: ``ControlFileError`` with the code `fileMissing`, `isDirectory`, `notRegularFile`, `notReadable`,
    ///   `empty`, `compressed`, `notControlFile`, `orphanContinuation`, `invalidUTF8`, `nulByte`, `tooLong` or
    ///   `truncated`.
    public static func read(path: String, ending: Ending = .blankLine) throws(ControlFileError) -> ControlFile {
        try ControlFile(source: try ControlFileSource(path: path), ending: ending)
    }

    /// Checks that `bytes` is a complete control file and counts its paragraphs.
    ///
    /// ```swift
    /// let text = "Package: hello\nVersion: 2.10\nArchitecture: amd64\n\n"
    /// let hello = try ControlFile.parse(bytes: Array(text.utf8)).paragraphs()
    /// ```
    ///
    /// - Parameters:
    ///   - bytes: The text, in UTF-8.
    ///   - ending: How the text ends; dpkg's and apt's files end with a blank line.
    /// - Returns: The checked text.
    /// - Throws: ``ControlFileError`` with the code `empty`, `compressed`, `notControlFile`, `orphanContinuation`,
    ///   `invalidUTF8`, `nulByte`, `tooLong` or `truncated`.
    public static func parse(bytes: [UInt8], ending: Ending = .blankLine) throws(ControlFileError) -> ControlFile {
        try ControlFile(source: ControlFileSource(bytes: bytes), ending: ending)
    }

    private init(source: ControlFileSource, ending: Ending) throws(ControlFileError) {
        let start = try ControlFileHead(source).check()
        var scanner = ParagraphScanner(source: source, start: start, ending: ending)
        var count = 0
        while try scanner.advance() { count += 1 }
        guard count > 0 else { throw .emptyText }
        self.source = source
        self.ending = ending
        self.start = start
        paragraphCount = count
    }

    /// Creates a reader at the first paragraph, for cases in which a closure is not suitable.
    ///
    /// ```swift
    /// var reader = file.makeReader()
    /// while let package = try reader.next() {
    ///     try await store(package)
    /// }
    /// ```
    ///
    /// - Returns: A reader that is independent of all others.
    public func makeReader() -> ParagraphReader {
        ParagraphReader(scanner: ParagraphScanner(source: source, start: start, ending: ending))
    }

    /// Calls `body` with each paragraph, in the file's order.
    ///
    /// ```swift
    /// try file.forEachParagraph { package in
    ///     total += package.installedSize ?? 0
    /// }
    /// ```
    ///
    /// - Parameter body: Called with each paragraph; an error that it throws ends the iteration and is rethrown.
    /// - Throws: Errors of `body`, or ``ControlFileError`` with the code `missingColon`, `duplicateField`,
    ///   `missingField`, `malformedField`, `malformedSize`, `malformedDependency`, `tooLong` or `truncated`; if the
    ///   file was modified after it was opened, also those of ``read(path:ending:)``. `body` has then been called with
    ///   the paragraphs before the invalid one.
    public func forEachParagraph(_ body: (PackageParagraph) throws -> Void) throws {
        var reader = makeReader()
        while let paragraph = try reader.next() {
            try body(paragraph)
        }
    }

    /// Reads all paragraphs into memory; for lists of tens of thousands, prefer ``forEachParagraph(_:)``.
    ///
    /// ```swift
    /// let installed = try file.paragraphs().filter { $0.status == "install ok installed" }
    /// ```
    ///
    /// - Returns: The paragraphs, in the file's order.
    /// - Throws: ``ControlFileError`` with the codes of ``forEachParagraph(_:)``.
    public func paragraphs() throws(ControlFileError) -> [PackageParagraph] {
        var reader = makeReader()
        var all: [PackageParagraph] = []
        all.reserveCapacity(paragraphCount)
        while let paragraph = try reader.next() {
            all.append(paragraph)
        }
        return all
    }
}
