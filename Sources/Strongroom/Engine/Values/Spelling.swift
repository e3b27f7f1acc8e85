/// Values that can be written in several ways, of which a column has one: the engine compares what is stored, so that
/// any other spelling would be another value to it.
package enum Spelling: Sendable, Hashable {
    case uuid
    /// Decimals without a scale.
    case decimal
    case date(DateForm)

    /// Whether a stored value is in the spelling that the library writes.
    package func isKept(by stored: SQLValue) -> Bool {
        switch self {
        case .uuid, .decimal: canonical(stored) == stored
        case .date(let form): form.seconds(stored) != nil
        }
    }

    /// The spelling that the library writes; nil for what is no such value.
    package func canonical(_ stored: SQLValue) -> SQLValue? {
        switch self {
        case .uuid:
            return Self.uuid(stored)
        case .decimal:
            let text = stored.asText ?? stored.asInteger.map { String($0) }
            return text.flatMap { SortedDecimal.plain($0) }.flatMap { SortedDecimal.stored($0) }.map { .text($0) }
        case .date(let form):
            guard let seconds = form.seconds(inAnySpelling: stored), let own = try? form.stored(seconds: seconds),
                form.seconds(own) != nil
            else { return nil }
            return own
        }
    }

    /// A description of a stored value's spelling, without the value; nil for what is no such value.
    func description(of stored: SQLValue) -> String? {
        guard canonical(stored) != nil else { return nil }
        switch (self, stored) {
        case (.uuid, .blob): return "a UUID as 16 bytes"
        case (.uuid, .text(let text)): return text.utf8.count == 36 ? "a UUID in lower case" : "a UUID without hyphens"
        case (.decimal, _): return "a decimal as plain digits"
        case (.date, .text(let text)):
            // What is a date has digits, and signs that reveal nothing.
            let shape = text.utf8.prefix(40).map { (0x30...0x39).contains($0) ? 0x30 : $0 }
            return "a date in the form \(String(decoding: shape, as: UTF8.self))"
        default: return "a number with more digits than the form of its dates has"
        }
    }
}
