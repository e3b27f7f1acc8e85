import Configurations
import Foundation

/// Control files that are made up for the tests, and short ways to read them.
enum ControlFileSample {
    /// Three paragraphs with all that the format knows: folded fields, comments, a long description, several blank
    /// lines.
    static let text = """
        # made up for the tests
        Package: libhello1
        Status: install ok installed
        Priority: optional
        Section: libs
        Installed-Size: 120
        Maintainer: Zoë Müller <zoe@example.org>
        Architecture: amd64
        Multi-Arch: same
        Version: 1:2.10-3+b1
        Replaces: libhello0 (<< 2.0)
        Depends: libc6 (>= 2.36), debconf (>= 0.5) | debconf-2.0,
         python3:any
        # a comment inside a field
        \t| python3-minimal (= 3.11.2-1)
        Description: classic greeting, as a library
         It says hello.
         .
           * a line to be shown as it stands
         The end.
        Homepage: https://example.org/hello


        package: hello
        version: 2.10-3
        ARCHITECTURE: all
        Provides: greeting (= 2), hullo
        Description: prints a greeting

        Package: gone
        Status: deinstall ok config-files
        Architecture: amd64
        Version: 0.1
        Conffiles:
         /etc/gone.conf 0123456789abcdef0123456789abcdef
        Description: left its configuration behind


        """

    /// The forms of ``text`` whose line ends, first bytes or last bytes differ.
    enum Variant: CaseIterable {
        case plain, carriageReturns, commentAtTheEnd, byteOrderMark

        var text: String {
            switch self {
            case .plain: ControlFileSample.text
            case .carriageReturns: ControlFileSample.text.replacingOccurrences(of: "\n", with: "\r\n")
            case .commentAtTheEnd: ControlFileSample.text + "# a comment at the end\n"
            case .byteOrderMark: "\u{FEFF}" + ControlFileSample.text
            }
        }
    }

    /// A paragraph that lacks nothing, followed by `fields` and a blank line.
    static func paragraph(_ fields: String...) -> String {
        (["Package: a", "Version: 1", "Architecture: all"] + fields).map { $0 + "\n" }.joined() + "\n"
    }

    static func read(_ text: String, ending: ControlFile.Ending = .blankLine) throws -> [PackageParagraph] {
        try ControlFile.parse(bytes: Array(text.utf8), ending: ending).paragraphs()
    }

    /// Reads `bytes` to the end; nil where that succeeds.
    static func failure(of bytes: [UInt8], ending: ControlFile.Ending = .blankLine) -> ControlFileError? {
        do {
            _ = try ControlFile.parse(bytes: bytes, ending: ending).paragraphs()
            return nil
        } catch {
            return error
        }
    }

    static func failure(of text: String, ending: ControlFile.Ending = .blankLine) -> ControlFileError? {
        failure(of: Array(text.utf8), ending: ending)
    }
}

/// A directory of one test's own, removed with the value.
final class ControlFileScratch {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "controlfile-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func path(_ name: String) -> String {
        url.appending(path: name).path(percentEncoded: false)
    }

    func write(_ text: String, to name: String = "status") throws -> String {
        try Data(text.utf8).write(to: URL(filePath: path(name)))
        return path(name)
    }
}

/// SplitMix64: the same numbers for the same seed, on every machine.
struct ControlFileRandom: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// The format read in the plainest way there is, line by line with strings, to compare the parser with.
///
/// It takes for granted that the text is a control file.
enum ControlFileModel {
    /// The paragraphs: for each field, in small letters, its lines without the line ends.
    static func paragraphs(of text: String) -> [[String: [String]]] {
        var all: [[String: [String]]] = []
        var current: [String: [String]] = [:]
        var name = ""
        // By scalars: for Swift, CR LF is one character.
        for scalars in text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false) {
            var line = String(scalars)
            if line.unicodeScalars.last == "\r" { line.unicodeScalars.removeLast() }
            if line.unicodeScalars.first == "\u{FEFF}" { line.unicodeScalars.removeFirst() }
            if line.unicodeScalars.allSatisfy({ $0 == " " || $0 == "\t" }) {
                if !current.isEmpty { all.append(current) }
                current = [:]
            } else if line.unicodeScalars.first == " " || line.unicodeScalars.first == "\t" {
                current[name, default: []].append(line)
            } else if line.unicodeScalars.first != "#" {
                let parts = line.unicodeScalars.split(
                    separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                name = String(parts[0]).lowercased()
                current[name] = [parts.count > 1 ? String(parts[1]) : ""]
            }
        }
        if !current.isEmpty { all.append(current) }
        return all
    }

    /// A field's value on one line; nil where it is absent or empty.
    static func value(_ lines: [String]?) -> String? {
        let parts = (lines ?? []).map(trimmed).filter { !$0.isEmpty }
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }

    /// Says where `paragraph` differs from what the model finds in `fields`; empty where it doesn't.
    static func differences(_ paragraph: PackageParagraph, _ fields: [String: [String]]) -> [String] {
        var found: [String] = []
        func compare(_ name: String, _ one: String?, _ other: String?) {
            // By scalars: for Swift, strings that differ in bytes may be equal.
            if one.map({ Array($0.utf8) }) != other.map({ Array($0.utf8) }) {
                found.append("\(name): \(one ?? "nil") and \(other ?? "nil")")
            }
        }
        compare("name", paragraph.name, value(fields["package"]))
        compare("version", paragraph.version, value(fields["version"]) ?? "")
        compare("architecture", paragraph.architecture, value(fields["architecture"]) ?? "")
        compare("section", paragraph.section, value(fields["section"]))
        compare("maintainer", paragraph.maintainer, value(fields["maintainer"]))
        compare("status", paragraph.status, value(fields["status"]))
        compare("size", paragraph.installedSize.map(String.init), value(fields["installed-size"])?.withoutLeadingZeros)
        let description = fields["description"] ?? []
        compare("summary", paragraph.summary, value(description.first.map { [$0] }))
        let long = description.dropFirst().map { trimmed($0) == "." ? "" : String($0.unicodeScalars.dropFirst()) }
        compare("description", paragraph.description, long.isEmpty ? nil : long.joined(separator: "\n"))
        for kind in PackageDependency.Kind.allCases {
            let entries = (value(fields[kind.rawValue.lowercased()]) ?? "").split(separator: ",").enumerated()
            let expected = entries.flatMap { group, ways in
                ways.split(separator: "|").enumerated().map { "\(group).\($0) \(plain(String($1)))" }
            }
            let listed = paragraph.dependencies.filter { $0.kind == kind }.map { dependency in
                let version = dependency.relation.map { "(\($0.rawValue)\(dependency.version ?? ""))" } ?? ""
                let architecture = dependency.architecture.map { ":" + $0 } ?? ""
                return "\(dependency.group).\(dependency.alternative) \(dependency.name)\(architecture)\(version)"
            }
            compare(
                kind.rawValue, listed.joined(separator: ", "),
                expected.filter { !$0.hasSuffix(" ") }.joined(separator: ", "))
        }
        return found
    }

    /// An entry of a dependency field without its blanks and restrictions, its relation in today's form.
    private static func plain(_ entry: String) -> String {
        let entry = entry.filter { !" \t".contains($0) }
        let name = entry.prefix { !"([<".contains($0) }
        guard let open = entry.firstIndex(of: "("), let close = entry.firstIndex(of: ")") else { return String(name) }
        var bound = String(entry[entry.index(after: open)..<close])
        let relation = bound.prefix { "<=>".contains($0) }
        bound.removeFirst(relation.count)
        let today = ["": "=", "<": "<=", ">": ">="][String(relation)] ?? String(relation)
        return "\(name)(\(today)\(bound))"
    }

    private static func trimmed(_ text: String) -> String {
        let isBlank: (Unicode.Scalar) -> Bool = { $0 == " " || $0 == "\t" }
        let front = text.unicodeScalars.drop(while: isBlank)
        return String(String.UnicodeScalarView(front.reversed().drop(while: isBlank).reversed()))
    }
}

extension String {
    fileprivate var withoutLeadingZeros: String {
        let rest = drop { $0 == "0" }
        return rest.isEmpty ? "0" : String(rest)
    }
}
