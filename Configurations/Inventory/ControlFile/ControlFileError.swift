/// The reason why a control file could not be read, the line, and what to do next.
///
/// ```swift
/// do {
///     let file = try ControlFile.read(path: path)
///     print(file.paragraphCount)
/// } catch {
///     guard error.code == .truncated else { throw error }
///     print("Get the list again: \(error)")
/// }
/// ```
///
/// Neither ``message`` nor ``description`` contains the content of fields; they contain line numbers, field names and
/// the path that the caller passed.
///
/// `ControlFileError` is `Sendable`.
public struct ControlFileError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of error. Codes may be added; it is `Sendable`.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Value: String, Sendable {
            case fileMissing, isDirectory, notRegularFile, notReadable
            case empty, compressed, notControlFile, truncated, tooLong
            case invalidUTF8, nulByte
            case missingColon, orphanContinuation, duplicateField, missingField
            case malformedField, malformedSize, malformedDependency
        }

        private let value: Value

        /// There is no file at the path.
        public static let fileMissing = Code(value: .fileMissing)
        /// The path is a directory.
        public static let isDirectory = Code(value: .isDirectory)
        /// The path is a pipe, a socket or a device.
        public static let notRegularFile = Code(value: .notRegularFile)
        /// The file cannot be opened or read.
        public static let notReadable = Code(value: .notReadable)
        /// There is no paragraph: the file is empty, or contains only blank lines and comments.
        public static let empty = Code(value: .empty)
        /// The file is compressed, as apt's lists are.
        public static let compressed = Code(value: .compressed)
        /// The first significant line doesn't start with a field name and a colon.
        public static let notControlFile = Code(value: .notControlFile)
        /// The text ends inside a paragraph; for the cases that are detected see ``ControlFile``.
        public static let truncated = Code(value: .truncated)
        /// A line, a paragraph or its number of fields exceeds the limit; for the limits see ``ControlFile``.
        public static let tooLong = Code(value: .tooLong)
        /// A line isn't UTF-8.
        public static let invalidUTF8 = Code(value: .invalidUTF8)
        /// A line contains a zero byte.
        public static let nulByte = Code(value: .nulByte)
        /// A line that is not a continuation doesn't start with a field name and a colon.
        public static let missingColon = Code(value: .missingColon)
        /// The first line of a paragraph starts with a space or a tab.
        public static let orphanContinuation = Code(value: .orphanContinuation)
        /// A paragraph has a field twice.
        public static let duplicateField = Code(value: .duplicateField)
        /// A paragraph lacks `Package`, `Version` or `Architecture`, or the field is empty.
        public static let missingField = Code(value: .missingField)
        /// `Package`, `Version` or `Architecture` isn't one word of the allowed characters.
        public static let malformedField = Code(value: .malformedField)
        /// `Installed-Size` is not an integer from 0 to 2⁶³ − 1.
        public static let malformedSize = Code(value: .malformedSize)
        /// A dependency field doesn't follow the grammar.
        public static let malformedDependency = Code(value: .malformedDependency)

        /// The code's name, such as `truncated`.
        public var description: String { value.rawValue }
    }

    /// The kind of error.
    public let code: Code

    /// The line of the error, counted from 1; nil for an error of the whole file.
    ///
    /// For ``Code/missingField`` it is the paragraph's first line, for ``Code/truncated`` the last line of the file.
    public let line: Int?

    /// The error and what to do next, without the line number.
    public let message: String

    /// The line number, if there is one, and the message.
    public var description: String {
        guard let line else { return message }
        return "line \(line): \(message)"
    }

    init(_ code: Code, line: Int? = nil, _ message: String) {
        self.code = code
        self.line = line
        self.message = message
    }
}
