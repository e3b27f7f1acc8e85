import Configurations
import Foundation
import StrongroomTesting
import Testing

@Suite("Reading a control file")
struct ControlFileTests {
    @Test("gives each field's value", arguments: ControlFileSample.Variant.allCases)
    func values(variant: ControlFileSample.Variant) throws {
        let paragraphs = try ControlFileSample.read(variant.text)
        try #require(paragraphs.map(\.name) == ["libhello1", "hello", "gone"])
        let library = paragraphs[0]
        #expect(library.version == "1:2.10-3+b1")
        #expect(library.architecture == "amd64")
        #expect(library.section == "libs")
        #expect(library.installedSize == 120)
        #expect(library.maintainer == "Zoë Müller <zoe@example.org>")
        #expect(library.status == "install ok installed")
        #expect(library.summary == "classic greeting, as a library")
        #expect(library.description == "It says hello.\n\n  * a line to be shown as it stands\nThe end.")
        #expect(
            library.dependencies.map(\.name) == [
                "libhello0", "libc6", "debconf", "debconf-2.0", "python3", "python3-minimal",
            ])
    }

    @Test("gives nil for absent fields, also in the way of a Packages list")
    func absentFields() throws {
        let paragraph = try #require(try ControlFileSample.read(ControlFileSample.text).dropFirst().first)
        #expect(paragraph.section == nil)
        #expect(paragraph.installedSize == nil)
        #expect(paragraph.maintainer == nil)
        #expect(paragraph.status == nil)
        #expect(paragraph.summary == "prints a greeting")
        #expect(paragraph.description == nil)
    }

    @Test("gives nil for empty optional fields and none for empty lists")
    func emptyFields() throws {
        let text = ControlFileSample.paragraph(
            "Section:", "Installed-Size: ", "Maintainer:\t", "Status:", "Description:", "Depends:", "Provides: \t")
        let paragraph = try #require(try ControlFileSample.read(text).first)
        #expect(paragraph.section == nil && paragraph.installedSize == nil && paragraph.maintainer == nil)
        #expect(paragraph.status == nil && paragraph.summary == nil && paragraph.description == nil)
        #expect(paragraph.dependencies.isEmpty)
    }

    @Test("returns packages that aren't installed as they are")
    func notInstalled() throws {
        let gone = try #require(try ControlFileSample.read(ControlFileSample.text).last)
        #expect(gone.status == "deinstall ok config-files")
        #expect(gone.version == "0.1")
    }

    @Test(
        "takes what dpkg itself writes without a version or an architecture",
        arguments: [
            ("purge ok not-installed", "Architecture: amd64\n", "", "amd64"),
            ("install ok not-installed", "", "", ""),
            ("install reinstreq half-installed", "", "", ""),
            ("deinstall ok config-files", "Version: 1\n", "1", ""),
        ])
    func incompleteStates(status: String, field: String, version: String, architecture: String) throws {
        let paragraph = try #require(try ControlFileSample.read("Package: a\nStatus: \(status)\n\(field)\n").first)
        #expect(paragraph.version == version)
        #expect(paragraph.architecture == architecture)
    }

    @Test("joins the lines of a folded field with single spaces")
    func folded() throws {
        let text = ControlFileSample.paragraph("Maintainer: One", "   Two  ", "# not this", "\tThree", "Section:", " x")
        let paragraph = try #require(try ControlFileSample.read(text).first)
        #expect(paragraph.maintainer == "One Two Three")
        #expect(paragraph.section == "x")
    }

    @Test(
        "undoes the description's leading spaces and dots",
        arguments: [
            (" one\n two", "one\ntwo"),
            (" .\n one\n .\n .\n two\n .", "\none\n\n\ntwo\n"),
            ("  verbatim\n\ttabbed\n ..\n . dot", " verbatim\ntabbed\n..\n. dot"),
            (" # no comment", "# no comment"),
            (" Package: no field", "Package: no field"),
            (" trailing  ", "trailing  "),
        ])
    func longDescription(lines: String, expected: String) throws {
        let paragraph = try #require(
            try ControlFileSample.read(ControlFileSample.paragraph("Description: s", lines)).first)
        #expect(paragraph.summary == "s")
        #expect(paragraph.description == expected)
    }

    @Test("skips blank lines, lines of spaces and comments around paragraphs")
    func separators() throws {
        let one = ControlFileSample.paragraph()
        let text = "\n\n#c\n \t\n" + one + "\n\n  \n#c\n\n#c\n" + one + "\n#c\n\n#c\n"
        let file = try ControlFile.parse(bytes: Array(text.utf8))
        #expect(file.paragraphCount == 2)
        #expect(try file.paragraphs().count == 2)
    }

    @Test("drops fields that it has no place for, whatever their names are")
    func unknownFields() throws {
        let text = ControlFileSample.paragraph("X-Unknown: ü", "Odd!name(){}: : :", "Z:")
        #expect(try ControlFileSample.read(text).count == 1)
    }

    @Test("hands out readers that don't disturb each other, also as copies")
    func readers() throws {
        let file = try ControlFile.parse(bytes: Array(ControlFileSample.text.utf8))
        var one = file.makeReader()
        #expect(try one.next()?.name == "libhello1")
        var other = file.makeReader()
        var copy = one
        #expect(try other.next()?.name == "libhello1")
        #expect(try one.next()?.name == "hello")
        #expect(try copy.next()?.name == "hello")
        #expect(try one.next()?.name == "gone")
        #expect(try one.next() == nil)
        #expect(try one.next() == nil)
        #expect(try copy.next()?.name == "gone")
    }
}

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

extension TemporaryDirectory {
    /// Writes a control file.
    ///
    /// - Returns: Its path.
    func write(_ text: String, to name: String = "status") throws -> String {
        try Data(text.utf8).write(to: URL(filePath: path(name)))
        return path(name)
    }
}

@Suite("The control file that dpkg keeps on this machine")
struct RealControlFileTests {
    private static let status = "/var/lib/dpkg/status"

    @Test(.enabled(if: FileManager.default.fileExists(atPath: status), "this system has no dpkg"))
    func `dpkg's status is read`() throws {
        let paragraphs = try ControlFile.read(path: Self.status).paragraphs()
        let dpkg = try #require(paragraphs.first { $0.name == "dpkg" })
        #expect(dpkg.status == "install ok installed")
        #expect(dpkg.summary == "Debian package management system")
        #expect(
            dpkg.dependencies.contains { $0.kind == .preDepends && $0.name == "libc6" && $0.relation == .laterOrEqual })
    }
}
