#if S3
internal import Strongroom

/// A file of profiles, such as `~/.aws/credentials`; its form is that of "Shared config and credentials files" in
/// Amazon's "AWS SDKs and Tools Reference Guide".
struct ProfileFile {
    struct Value {
        let text: String
        let line: Int
    }

    /// Whether profiles other than the default one begin with `[profile NAME]` rather than `[NAME]`.
    enum Form {
        case credentials, config
    }

    /// The values of each profile, by lowercase names.
    private(set) var profiles: [String: [String: Value]] = [:]

    /// Parses a file.
    ///
    /// - Throws: ``CredentialDefect`` with the number of the line that cannot be read.
    init(_ text: String, _ form: Form) throws {
        // Nil before the first section, and in one that is no profile's.
        var profile: String?
        var hasSection = false
        var isNested = false
        // By scalars: a carriage return and a line feed are one character.
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, scalars) in lines.enumerated() {
            let (line, content) = (index + 1, String(scalars).trimmingSpace())
            let isIndented = scalars.first == " " || scalars.first == "\t"
            guard let first = content.first, first != "#", first != ";" else { continue }
            if first == "[", !isIndented {
                profile = try Self.profile(content, line, form)
                if let profile { profiles[profile] = profiles[profile] ?? [:] }
                (hasSection, isNested) = (true, false)
                continue
            }
            let equals = content.firstIndex(of: "=")
            if isIndented, isNested || equals == nil { continue }
            guard let equals, equals != content.startIndex, hasSection else {
                throw CredentialDefect("cannot be read: line \(line) is neither \"[profile]\" nor \"name = value\"")
            }
            let value = content[content.index(after: equals)...].trimmingSpace()
            // The values of a group, such as `s3 =`, are indented beneath its name.
            isNested = value.isEmpty
            guard let profile else { continue }
            let name = content[..<equals].trimmingSpace().lowercased()
            profiles[profile]?[name] = Value(text: value, line: line)
        }
    }

    /// The profile whose section a line begins; nil if it is another section, such as `[sso-session NAME]`.
    private static func profile(_ line: String, _ number: Int, _ form: Form) throws -> String? {
        guard let end = line.firstIndex(of: "]") else {
            throw CredentialDefect("cannot be read: line \(number) has \"[\" without \"]\"")
        }
        let name = line[line.index(after: line.startIndex)..<end].trimmingSpace()
        guard form == .config, name != "default" else { return name }
        let words = name.split(maxSplits: 1) { $0 == " " || $0 == "\t" }
        guard words.count == 2, words[0] == "profile" else { return nil }
        let quoted = words[1].trimmingSpace()
        let marks: [Character] = ["\"", "'"]
        guard quoted.count > 1, let mark = quoted.first, marks.contains(mark), quoted.last == mark else {
            return quoted
        }
        return String(quoted.dropFirst().dropLast())
    }
}
#endif
