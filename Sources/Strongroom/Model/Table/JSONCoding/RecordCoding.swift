/// The options for encoding a record as a dictionary or as JSON, and for decoding it: `try
/// contact.json(RecordCoding(keys: .snakeCase, unknownKeys: .ignored))`.
public struct RecordCoding: Sendable {
    /// The mapping from properties to keys.
    public var keys: KeyMapping
    /// The format of dates.
    public var dates: DateStyle
    /// The treatment of keys that the table does not have.
    public var unknownKeys: UnknownKeys

    /// Creates options.
    ///
    /// - Parameters:
    ///   - keys: The mapping from properties to keys; by default the property names.
    ///   - dates: The format of dates; by default ISO 8601 text.
    ///   - unknownKeys: The treatment of keys that the table does not have; by default an error.
    public init(
        keys: KeyMapping = .properties, dates: DateStyle = .exact, unknownKeys: UnknownKeys = .refused
    ) {
        self.keys = keys
        self.dates = dates
        self.unknownKeys = unknownKeys
    }

    /// Values as the engine stores them, with the property names as keys.
    public static let stored = RecordCoding(dates: .stored)

    /// The format of dates.
    public enum DateStyle: Sendable, Hashable {
        /// A text such as `2026-11-21T20:15:00.25Z` (RFC 3339), in UTC, with as many digits as are needed to restore
        /// the date exactly; any offset is accepted when reading. For the years 0 to 9999.
        case exact
        /// The date as a column of this form stores it, rounded as there: JavaScript and many services write and expect
        /// ``DateForm/iso8601``. When reading, every spelling is accepted that ``Writing/convertSpellings(of:)`` takes.
        case form(DateForm)
        /// The stored value of the column: a number, the seconds since the start of 2001, UTC, or what its
        /// ``DateForm`` is.
        case stored
    }

    /// The treatment of keys that the table does not have.
    public enum UnknownKeys: Sendable {
        /// An error with their names is thrown.
        case refused
        /// They are ignored.
        case ignored
        /// The sorted keys are passed to the closure before the record is created.
        case reported(@Sendable ([String]) -> Void)
    }
}

/// The mapping from a table's properties to the keys of a dictionary or of JSON, such as
/// `KeyMapping.snakeCase.renaming(["id": "identifier"])`.
public struct KeyMapping: Sendable {
    private let key: @Sendable (_ property: String, _ column: String) -> String

    private init(_ key: @escaping @Sendable (String, String) -> String) {
        self.key = key
    }

    /// The property names.
    public static let properties = KeyMapping { property, _ in property }

    /// The column names.
    public static let columns = KeyMapping { _, column in column }

    /// The property names in snake case: `createdAt` is `created_at`, `userID` is `user_id`.
    public static let snakeCase = KeyMapping { property, _ in property.snakeCased }

    /// A mapping by a closure.
    ///
    /// - Parameter key: Returns the key for a property name.
    /// - Returns: The mapping.
    public static func custom(_ key: @escaping @Sendable (_ property: String) -> String) -> KeyMapping {
        KeyMapping { property, _ in key(property) }
    }

    /// The same mapping with different keys for some properties.
    ///
    /// - Parameter keys: The keys by property name.
    /// - Returns: The mapping.
    public func renaming(_ keys: [String: String]) -> KeyMapping {
        let base = key
        return KeyMapping { property, column in keys[property] ?? base(property, column) }
    }

    func key(property: String, column: String) -> String { key(property, column) }
}

extension String {
    /// Lower-case words separated by underscores; a run of capital letters is one word, except that its last letter
    /// begins a new word if a lower-case letter follows.
    var snakeCased: String {
        let letters = Array(self)
        var result = ""
        for (index, letter) in letters.enumerated() {
            if letter.isUppercase, index > 0, letters[index - 1] != "_" {
                let isBehindSmall = !letters[index - 1].isUppercase
                let isBeforeSmall = index + 1 < letters.count && letters[index + 1].isLowercase
                if isBehindSmall || isBeforeSmall { result += "_" }
            }
            result += letter.lowercased()
        }
        return result
    }
}
