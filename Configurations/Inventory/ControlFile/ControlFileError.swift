/// Why a control file could not be read, on which line, and what to do next.
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
/// Neither ``message`` nor ``description`` quotes what the file's fields hold; they name lines, fields and the path
/// that the caller gave.
///
/// `ControlFileError` is `Sendable`.
public struct ControlFileError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What kind of fault it is. New codes may come; it is `Sendable`.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Value: String, Sendable {
            case fileMissing, isDirectory, notRegularFile, notReadable
            case empty, compressed, notControlFile, truncated, tooLong
            case invalidUTF8, nulByte
            case missingColon, orphanContinuation, duplicateField, missingField
            case malformedField, malformedSize, malformedDependency
        }

        private let value: Value

        /// Nothing is at the path.
        public static let fileMissing = Code(value: .fileMissing)
        /// The path leads to a directory.
        public static let isDirectory = Code(value: .isDirectory)
        /// The path leads to a pipe, a socket or a device.
        public static let notRegularFile = Code(value: .notRegularFile)
        /// The system refuses to open or read the file.
        public static let notReadable = Code(value: .notReadable)
        /// There is no paragraph: no bytes, or blank lines and comments alone.
        public static let empty = Code(value: .empty)
        /// The file is compressed, as apt's lists are.
        public static let compressed = Code(value: .compressed)
        /// The first line that counts doesn't start with a field's name and a colon.
        public static let notControlFile = Code(value: .notControlFile)
        /// The text stops inside a paragraph; ``ControlFile`` says which cuts are seen.
        public static let truncated = Code(value: .truncated)
        /// A line, a paragraph or the number of fields in one is over the limit; ``ControlFile`` says which they are.
        public static let tooLong = Code(value: .tooLong)
        /// A line isn't UTF-8.
        public static let invalidUTF8 = Code(value: .invalidUTF8)
        /// A line has a byte of zero.
        public static let nulByte = Code(value: .nulByte)
        /// A line that goes on with no field doesn't start with a field's name and a colon.
        public static let missingColon = Code(value: .missingColon)
        /// The first line of a paragraph starts with a space or a tab.
        public static let orphanContinuation = Code(value: .orphanContinuation)
        /// A paragraph has a field twice.
        public static let duplicateField = Code(value: .duplicateField)
        /// A paragraph lacks `Package`, `Version` or `Architecture`, or the field is empty.
        public static let missingField = Code(value: .missingField)
        /// `Package`, `Version` or `Architecture` isn't one word of the characters allowed there.
        public static let malformedField = Code(value: .malformedField)
        /// `Installed-Size` is no whole number from 0 to 2⁶³ − 1.
        public static let malformedSize = Code(value: .malformedSize)
        /// A dependency field doesn't follow the grammar.
        public static let malformedDependency = Code(value: .malformedDependency)

        /// The code's name, such as `truncated`.
        public var description: String { value.rawValue }
    }

    /// What kind of fault it is.
    public let code: Code

    /// The line it was found on, from 1; nil where it has to do with the file as a whole.
    ///
    /// For ``Code/missingField`` it is the paragraph's first line, for ``Code/truncated`` the last one there is.
    public let line: Int?

    /// What is wrong and what to do next, without the line's number.
    public let message: String

    /// The line's number, where there is one, and the message.
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
