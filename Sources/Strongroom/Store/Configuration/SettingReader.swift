#if ConfigReader
import Configuration

/// Reads settings from a `ConfigReader`, and refuses values that a setting cannot have.
struct SettingReader {
    private let reader: ConfigReader
    /// The part of the keys that the settings have in common.
    private let prefix: ConfigKey

    init(_ reader: ConfigReader, _ prefix: ConfigKey) {
        self.reader = reader
        self.prefix = prefix
    }

    /// What a value may be. 2,147,483,647 ms are 24 days.
    static let milliseconds = 0...Int(Int32.max)

    private func key(_ name: String) -> ConfigKey {
        ConfigKey(prefix.components + [name], context: prefix.context)
    }

    /// Reads a value.
    ///
    /// - Parameter allowed: What the value may be, for the message of an error.
    private func value<T>(
        _ name: String, _ allowed: String, _ fetch: (ConfigKey) async throws -> T?
    ) async throws -> T? {
        do {
            return try await fetch(key(name))
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            var failure = refusal(name, allowed)
            failure.underlying = error
            throw failure
        }
    }

    /// The error for a value that a setting cannot have.
    func refusal(_ name: String, _ allowed: String) -> StrongroomError {
        StrongroomError(
            .invalidSetting, "The configuration's value \"\(key(name))\" cannot be used; it must be \(allowed).")
    }

    func bool(_ name: String) async throws -> Bool? {
        try await value(name, "true or false") { try await reader.fetchBool(forKey: $0) }
    }

    func integer(_ name: String, _ range: ClosedRange<Int>, _ unit: String = "") async throws -> Int? {
        let isLimited = range.upperBound != Int.max
        let allowed =
            "a whole number\(unit.isEmpty ? "" : " of \(unit)") "
            + (isLimited ? "from \(range.lowerBound) to \(range.upperBound)" : "of at least \(range.lowerBound)")
        guard let number = try await value(name, allowed, { try await reader.fetchInt(forKey: $0) }) else { return nil }
        guard range.contains(number) else { throw refusal(name, allowed) }
        return number
    }

    /// Reads a duration; its key says that it is in milliseconds.
    func duration(_ name: String, atLeast least: Int = 0) async throws -> Duration? {
        let range = least...Self.milliseconds.upperBound
        return try await integer("\(name)Milliseconds", range, "milliseconds").map { .milliseconds($0) }
    }

    func choice<T>(_ name: String, _ choices: KeyValuePairs<String, T>) async throws -> T? {
        let allowed = "one of \(choices.map { "\"\($0.key)\"" }.joined(separator: ", "))"
        guard let text = try await value(name, allowed, { try await reader.fetchString(forKey: $0) }) else {
            return nil
        }
        guard let choice = choices.first(where: { $0.key == text }) else { throw refusal(name, allowed) }
        return choice.value
    }
}
#endif
