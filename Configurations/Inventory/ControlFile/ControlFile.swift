/// A Debian control file that lists packages, such as dpkg's status file or one of apt's `Packages` lists.
///
/// ``read(path:ending:)`` and ``parse(bytes:ending:)`` look once at the whole text: they refuse what is no control file
/// and what was cut short, and count the paragraphs. The paragraphs are then taken one at a time, so that memory stays
/// flat: a file is read in pieces of 256 KiB and is never written.
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
/// ## What is read
///
/// Field names count without regard to case. A field may go on over several lines, lines may end in CR LF, lines that
/// start with `#` are comments, any number of blank lines (also of spaces and tabs alone) stands between two
/// paragraphs, and a byte order mark is skipped. Fields that ``PackageParagraph`` has no place for are checked for form
/// and dropped. A line has at most 1 MiB, a paragraph at most 16 MiB and 1,024 fields.
///
/// ## Which cuts are detected
///
/// Both dpkg and apt's archives end every paragraph, the last one too, with a blank line. So a text that was cut at any
/// byte inside a paragraph, its closing blank line included, is refused as ``ControlFileError/Code/truncated`` before
/// the first paragraph is handed out. Two cuts cannot be seen: one exactly behind a blank line (what is left is a
/// whole, shorter file) and one behind whole comment lines that follow a blank line. With ``Ending/endOfFile`` less is
/// seen; see there.
///
/// `ControlFile` is `Sendable`: several tasks may read one value at a time, each through a reader of its own.
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
    /// What has to stand at the end of a control file for it to count as whole. It is `Sendable`.
    public enum Ending: Sendable {
        /// A blank line ends the last paragraph, as dpkg and apt's archives write it. Every cut inside a paragraph
        /// shows.
        case blankLine

        /// The last paragraph may also end with the file, as in files written by hand or by other programs.
        ///
        /// A text whose last line has no line end is still refused, and so is one whose last paragraph stops before its
        /// required fields. A cut at the end of a line behind the required fields is **not** seen: that paragraph lacks
        /// its later fields, or the rest of the field it was cut in. Use this for files that are known to be whole.
        case endOfFile
    }

    /// The number of paragraphs, counted when the file was opened; comments alone make no paragraph.
    public let paragraphCount: Int

    private let source: ControlFileSource
    private let ending: Ending
    private let start: Int

    /// Opens the control file at `path`, checks that it is a whole one and counts its paragraphs.
    ///
    /// ```swift
    /// let file = try ControlFile.read(path: "/var/lib/dpkg/status")
    /// print(file.paragraphCount)
    /// ```
    ///
    /// The file stays open for reading as long as the value, or a reader made by it, lives. dpkg and apt replace their
    /// files by renaming, so that what was opened stays as it was.
    ///
    /// - Parameters:
    ///   - path: A regular file, uncompressed, absolute or relative to the working directory.
    ///   - ending: What has to stand at the end; dpkg's and apt's files end with a blank line.
    /// - Returns: The opened file.
    /// - Throws: ``ControlFileError`` with the code `fileMissing`, `isDirectory`, `notRegularFile`, `notReadable`,
    ///   `empty`, `compressed`, `notControlFile`, `orphanContinuation`, `invalidUTF8`, `nulByte`, `tooLong` or
    ///   `truncated`.
    public static func read(path: String, ending: Ending = .blankLine) throws(ControlFileError) -> ControlFile {
        try ControlFile(source: try ControlFileSource(path: path), ending: ending)
    }

    /// Takes `bytes` for the text of a control file, checks that it is a whole one and counts its paragraphs.
    ///
    /// ```swift
    /// let text = "Package: hello\nVersion: 2.10\nArchitecture: amd64\n\n"
    /// let hello = try ControlFile.parse(bytes: Array(text.utf8)).paragraphs()
    /// ```
    ///
    /// - Parameters:
    ///   - bytes: The text, in UTF-8.
    ///   - ending: What has to stand at the end; dpkg's and apt's files end with a blank line.
    /// - Returns: The checked text.
    /// - Throws: ``ControlFileError`` with the code `empty`, `compressed`, `notControlFile`, `orphanContinuation`,
    ///   `invalidUTF8`, `nulByte`, `tooLong` or `truncated`.
    public static func parse(bytes: [UInt8], ending: Ending = .blankLine) throws(ControlFileError) -> ControlFile {
        try ControlFile(source: ControlFileSource(bytes: bytes), ending: ending)
    }

    private init(source: ControlFileSource, ending: Ending) throws(ControlFileError) {
        let start = try ControlFileOpening(source).check()
        var scanner = ParagraphScanner(source: source, start: start, ending: ending)
        var count = 0
        while try scanner.advance() { count += 1 }
        guard count > 0 else { throw .emptyText }
        self.source = source
        self.ending = ending
        self.start = start
        paragraphCount = count
    }

    /// Makes a reader that stands before the first paragraph, for taking the paragraphs where a closure won't do.
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
    /// - Parameter body: Takes a paragraph; an error it throws ends the reading and is passed on.
    /// - Throws: What `body` throws, or ``ControlFileError`` with the code `missingColon`, `duplicateField`,
    ///   `missingField`, `malformedField`, `malformedSize`, `malformedDependency`, `tooLong` or `truncated`; and, where
    ///   somebody wrote into the file since it was opened, those of ``read(path:ending:)``. The paragraphs before the
    ///   bad one have been handed out by then.
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
