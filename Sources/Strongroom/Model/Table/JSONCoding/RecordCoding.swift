/// How a record is written to and read from a dictionary or JSON.
///
/// ```swift
/// let coding = RecordCoding(keys: .snakeCase, dates: .secondsSince1970, unknownKeys: .ignored)
/// let text = try contact.json(coding)
/// ```
public struct RecordCoding: Sendable {
    /// How the keys are named.
    public var keys: KeyMapping
    /// How dates are written.
    public var dates: DateStyle
    /// What is done with keys that the table has not.
    public var unknownKeys: UnknownKeys

    /// Says how.
    ///
    /// - Parameters:
    ///   - keys: How the keys are named; as the properties, unless told otherwise.
    ///   - dates: How dates are written; as texts in the form of ISO 8601, unless told otherwise.
    ///   - unknownKeys: What is done with keys that the table has not; they are refused, unless told otherwise.
    public init(
        keys: KeyMapping = .properties, dates: DateStyle = .iso8601, unknownKeys: UnknownKeys = .refused
    ) {
        self.keys = keys
        self.dates = dates
        self.unknownKeys = unknownKeys
    }

    /// Values as the engine keeps them, under the properties' names.
    public static let stored = RecordCoding(dates: .stored)

    /// How dates are written.
    public enum DateStyle: Sendable, Hashable {
        /// A text such as `2026-11-21T20:15:00.25Z` (RFC 3339), in UTC, with as many digits as bring the date back
        /// exactly; read with any offset. For the years 1 to 9999.
        case iso8601
        /// A number: the seconds since the start of 1970, UTC. The last bits of a date can get lost.
        case secondsSince1970
        /// A number: the milliseconds since the start of 1970, UTC. The last bits of a date can get lost.
        case millisecondsSince1970
        /// A number: what the column holds, the seconds since the start of 2001, UTC.
        case stored
    }

    /// What is done with keys that the table has not.
    public enum UnknownKeys: Sendable {
        /// An error that names them; nothing is read.
        case refused
        /// Nothing.
        case ignored
        /// They are handed over, sorted, and the record is read. The closure is called before the record is made.
        case reported(@Sendable ([String]) -> Void)
    }
}

/// How the keys of a dictionary or of JSON are named after a table's properties.
///
/// ```swift
/// let keys = KeyMapping.snakeCase.renaming(["id": "identifier"])
/// ```
public struct KeyMapping: Sendable {
    private let key: @Sendable (_ property: String, _ column: String) -> String

    private init(_ key: @escaping @Sendable (String, String) -> String) {
        self.key = key
    }

    /// As the properties.
    public static let properties = KeyMapping { property, _ in property }

    /// As the columns.
    public static let columns = KeyMapping { _, column in column }

    /// As the properties with underscores: `createdAt` is `created_at`, `userID` is `user_id`.
    public static let snakeCase = KeyMapping { property, _ in property.snakeCased }

    /// As a closure says.
    ///
    /// - Parameter key: Makes the key of a property's name.
    /// - Returns: The mapping.
    public static func custom(_ key: @escaping @Sendable (_ property: String) -> String) -> KeyMapping {
        KeyMapping { property, _ in key(property) }
    }

    /// The same mapping with other keys for some properties.
    ///
    /// - Parameter keys: The keys by the properties' names.
    /// - Returns: The mapping.
    public func renaming(_ keys: [String: String]) -> KeyMapping {
        let base = key
        return KeyMapping { property, column in keys[property] ?? base(property, column) }
    }

    func key(property: String, column: String) -> String { key(property, column) }
}

extension String {
    /// Words in small letters with underscores between them; a run of capital letters is one word, but for its last
    /// letter before a small one.
    var snakeCased: String {
        let letters = Array(self)
        var result = ""
        for (place, letter) in letters.enumerated() {
            if letter.isUppercase, place > 0, letters[place - 1] != "_" {
                let isBehindSmall = !letters[place - 1].isUppercase
                let isBeforeSmall = place + 1 < letters.count && letters[place + 1].isLowercase
                if isBehindSmall || isBeforeSmall { result += "_" }
            }
            result += letter.lowercased()
        }
        return result
    }
}
