import Configurations
import Foundation
import StrongroomTesting
import Testing

@Suite("Refusing what is no control file")
struct ControlFileErrorTests {
    private let whole = ControlFileSample.paragraph()

    private func failure(reading path: String) -> ControlFileError? {
        do {
            _ = try ControlFile.read(path: path)
            return nil
        } catch {
            return error
        }
    }

    @Test("says that nothing is at the path", arguments: ["absent", "absent/status", "file/status", "stat\u{0}us"])
    func fileMissing(name: String) throws {
        let scratch = try TemporaryDirectory()
        _ = try scratch.write(whole, to: "file")
        _ = try scratch.write(whole, to: "stat")
        #expect(failure(reading: scratch.path("") + "/" + name)?.code == .fileMissing)
    }

    @Test("says that the path leads to a directory")
    func isDirectory() throws {
        let scratch = try TemporaryDirectory()
        #expect(failure(reading: scratch.path(""))?.code == .isDirectory)
    }

    @Test("doesn't wait for a pipe that nobody writes to, and refuses devices")
    func notRegularFile() throws {
        let scratch = try TemporaryDirectory()
        try #require(mkfifo(scratch.path("pipe"), 0o600) == 0)
        #expect(failure(reading: scratch.path("pipe"))?.code == .notRegularFile)
        #expect(failure(reading: "/dev/null")?.code == .notRegularFile)
    }

    @Test("says that the system refuses to open the file")
    func notReadable() throws {
        // A link to itself and a name that is too long are refused to everybody, permissions not to root.
        let scratch = try TemporaryDirectory()
        try FileManager.default.createSymbolicLink(
            atPath: scratch.path("loop"), withDestinationPath: scratch.path("loop"))
        #expect(failure(reading: scratch.path("loop"))?.code == .notReadable)
        #expect(failure(reading: scratch.path(String(repeating: "n", count: 300)))?.code == .notReadable)
    }

    @Test(
        "says that there is no paragraph",
        arguments: ["", "\n", "\n\n \t\n", "# only a comment\n", "\u{FEFF}", "\r\n#\r\n"])
    func empty(text: String) throws {
        #expect(ControlFileSample.failure(of: text)?.code == .empty)
        let scratch = try TemporaryDirectory()
        #expect(failure(reading: try scratch.write(text))?.code == .empty)
    }

    @Test(
        "names the format of a compressed file",
        arguments: [
            ("lz4", [0x04, 0x22, 0x4D, 0x18, 0x40, 0x40, 0xC0, 0x71]), ("gzip", [0x1F, 0x8B, 0x08, 0x00]),
            ("xz", [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00, 0x00]), ("zstd", [0x28, 0xB5, 0x2F, 0xFD, 0x24]),
            ("bzip2", [0x42, 0x5A, 0x68, 0x39, 0x31]), ("lzma", [0x5D, 0x00, 0x00, 0x80, 0x00]),
        ] as [(String, [UInt8])])
    func compressed(format: String, bytes: [UInt8]) {
        let error = ControlFileSample.failure(of: bytes)
        #expect(error?.code == .compressed)
        #expect(error?.message.contains("compressed with \(format);") == true)
    }

    @Test(
        "tells other files from control files",
        arguments: [
            "\u{89}PNG\r\n\u{1A}\n", "{\"Package\": \"a\"}\n", "[{\"a\": 1}]",
            "Dear reader,\n\nthis is prose: read it.\n",
            "word\nby\nword\n\n", "<!DOCTYPE html>\n<html></html>\n", "<?xml version=\"1.0\"?>\n", "%PDF-1.7\n",
            "[section]\nkey=value\n",
            "#!/bin/sh\nset -e\n", "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n", "SQLite format 3\u{0}",
            "a,b,c\n1,2,3\n",
            ": no name\n", "\u{7F}ELF\u{2}", "P\u{0}a\u{0}", "https//example.org\n", "ünïcode: x\n", "key value: x\n\n",
            "1: x\n\n",
        ])
    func notControlFile(text: String) {
        let error = ControlFileSample.failure(of: text)
        #expect(error?.code == .notControlFile)
        #expect(error?.line == (text.hasPrefix("#!") ? 2 : 1))
    }

    @Test(
        "refuses bytes that are no text at all",
        arguments: [
            [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00], [0xFF, 0xD8, 0xFF, 0xE0],
            [0xFF, 0xFE, 0x50, 0x00],
            [0x00], [0x00, 0x0A], [0x80, 0x0A], [0xEF, 0xBB, 0xBF, 0xFF],
        ] as [[UInt8]])
    func binary(bytes: [UInt8]) {
        #expect(ControlFileSample.failure(of: bytes)?.code == .notControlFile)
    }

    @Test(
        "names the line that is no text",
        arguments: [
            (.nulByte, [0x61, 0x00, 0x62]), (.nulByte, [0x00] + Array(repeating: 0x61, count: 20)), (.nulByte, [0x00]),
            (.nulByte, [0xC3, 0xA9, 0, 0, 0, 0, 0, 0, 0, 0]),
            (.invalidUTF8, [0xE9]), (.invalidUTF8, [0xC3]), (.invalidUTF8, [0xC0, 0x80]),
            (.invalidUTF8, [0xED, 0xA0, 0x80]),
            (.invalidUTF8, [0xFF] + Array(repeating: 0x61, count: 20)),
        ] as [(ControlFileError.Code, [UInt8])])
    func badText(code: ControlFileError.Code, bytes: [UInt8]) {
        for name in ["Maintainer: ", "X-Unknown: ", "Description: s\n ", "# comment "] {
            let error = ControlFileSample.failure(
                of: Array((whole + "Package: b\n" + name).utf8) + bytes + Array("\n\n".utf8))
            #expect(error?.code == code)
            #expect(error?.line == (name.contains("\n") ? 7 : 6))
        }
    }

    @Test(
        "names the line of a faulty field",
        arguments: [
            (.missingColon, 5, "Section: x\nno field here"), (.missingColon, 4, "NoColon"),
            (.missingColon, 4, "Two words: x"),
            (.missingColon, 4, ": x"), (.missingColon, 4, "-Name: x"), (.missingColon, 4, "Nämé: x"),
            (.missingColon, 4, "Name : x"),
            (.duplicateField, 5, "Section: a\nSection: a"), (.duplicateField, 4, "PACKAGE: a"),
            (.duplicateField, 5, "X-a:\nx-A:"),
            (.malformedSize, 4, "Installed-Size: many"), (.malformedSize, 4, "Installed-Size: -1"),
            (.malformedSize, 4, "Installed-Size: 1.5"), (.malformedSize, 4, "Installed-Size: 1\n 2"),
            (.malformedSize, 4, "Installed-Size: +1"), (.malformedSize, 4, "Installed-Size: 9223372036854775808"),
            (.malformedSize, 4, "Installed-Size: ٣"), (.malformedDependency, 4, "Depends: ,"),
        ] as [(ControlFileError.Code, Int, String)])
    func faultyField(code: ControlFileError.Code, line: Int, fields: String) {
        let error = ControlFileSample.failure(of: ControlFileSample.paragraph(fields))
        #expect(error?.code == code)
        #expect(error?.line == line)
    }

    @Test(
        "names the first line of a paragraph that lacks a field",
        arguments: [
            ("Package", "Version: 1\nArchitecture: all"), ("Version", "Package: b\nArchitecture: all"),
            ("Architecture", "Package: b\nVersion: 1"), ("Package", "Package:\nVersion: 1\nArchitecture: all"),
            ("Version", "Package: b\nVersion: \t\nArchitecture: all"),
            ("Version", "Package: b\nStatus: install ok installed\nArchitecture: all"),
            ("Version", "Package: b\nStatus: deinstall ok config-files"),
            ("Architecture", "Package: b\nStatus: install ok unpacked\nVersion: 1"),
            ("Package", "Source: b\nVersion: 1"),
        ])
    func missingField(name: String, fields: String) {
        let error = ControlFileSample.failure(of: whole + fields + "\n\n" + whole)
        #expect(error?.code == .missingField)
        #expect(error?.line == 5)
        #expect(error?.message.contains("has no \(name),") == true)
    }

    @Test(
        "refuses names, versions and architectures that are no word",
        arguments: [
            "Package: two words\nVersion: 1\nArchitecture: all", "Package: a/b\nVersion: 1\nArchitecture: all",
            "Package: .a\nVersion: 1\nArchitecture: all", "Package: é\nVersion: 1\nArchitecture: all",
            "Version: 1 2\nPackage: a\nArchitecture: all", "Version: 1\n 2\nPackage: a\nArchitecture: all",
            "Version: (1)\nPackage: a\nArchitecture: all", "Architecture: any all\nPackage: a\nVersion: 1",
            "Architecture: a_b\nPackage: a\nVersion: 1",
        ])
    func malformedField(fields: String) {
        let error = ControlFileSample.failure(of: fields + "\n\n")
        #expect(error?.code == .malformedField)
        #expect(error?.line == 1)
    }

    @Test(
        "refuses a continuation with no field before it",
        arguments: [
            (" Package: a\n\n", 1), ("\n\tx\n\n", 2), ("# c\n x\n\n", 2),
            ("Package: a\nVersion: 1\nArchitecture: all\nDescription: s\n one\n \n two\n\n", 7),
        ])
    func orphanContinuation(text: String, line: Int) {
        let error = ControlFileSample.failure(of: text)
        #expect(error?.code == .orphanContinuation)
        #expect(error?.line == line)
    }

    @Test("refuses a line of more than 1 MiB", arguments: ["Description: ", "# ", "X"])
    func longLine(start: String) {
        let error = ControlFileSample.failure(
            of: ControlFileSample.paragraph(start + String(repeating: "x", count: 1 << 20)))
        #expect(error?.code == .tooLong)
        #expect(error?.line == 4)
    }

    @Test("refuses a paragraph of more than 16 MiB")
    func longParagraph() {
        let line = " " + String(repeating: "x", count: 1 << 16)
        let text =
            "Package: a\nVersion: 1\nArchitecture: all\nDescription: s\n"
            + Array(repeating: line, count: 257)
            .joined(separator: "\n") + "\n\n"
        #expect(ControlFileSample.failure(of: text)?.code == .tooLong)
    }

    @Test("takes 1,024 fields and refuses one more")
    func manyFields() {
        let fields = (4...1_024).map { "X-\($0): x" }
        #expect(ControlFileSample.failure(of: ControlFileSample.paragraph(fields.joined(separator: "\n"))) == nil)
        let error = ControlFileSample.failure(
            of: ControlFileSample.paragraph((fields + ["Y:"]).joined(separator: "\n")))
        #expect(error?.code == .tooLong)
        #expect(error?.line == 1_025)
    }

    @Test("hands out the paragraphs before the faulty one, then throws the same error for ever")
    func paragraphsBeforeFault() throws {
        let text = whole + whole + "Package: b\nVersion: 1\n\n" + whole
        var reader = try ControlFile.parse(bytes: Array(text.utf8)).makeReader()
        #expect(try reader.next()?.name == "a")
        #expect(try reader.next()?.name == "a")
        for _ in 0..<3 {
            #expect(throws: ControlFileError.self) { try reader.next() }
        }
    }

    @Test("describes itself with the line and without what the fields hold")
    func descriptions() throws {
        let error = try #require(ControlFileSample.failure(of: ControlFileSample.paragraph("Depends: secret (")))
        #expect(error.description == "line 4: " + error.message)
        #expect(error.code.description == "malformedDependency")
        #expect(!error.description.contains("secret"))
        let missing = try #require(failure(reading: "/nowhere/at/all"))
        #expect(missing.line == nil)
        #expect(missing.description == missing.message)
        #expect(missing.message.contains("/nowhere/at/all"))
    }

    @Test("is all that random pieces of the grammar and random bytes are met with", arguments: 0..<8 as Range<UInt64>)
    func chance(seed: UInt64) {
        let pieces = [
            "Package: a\nVersion: 1\nArchitecture: all\n", "Package: a\n", "\n", "\r\n", " ", "\t", " .\n", "#",
            "# c\n",
            ":", "Depends: ", "a, b", " | ", "(>= 1)", "\n ", "Description: s\n", "Installed-Size: 1\n", "é", "\0",
            "Pre-",
        ]
        var random = SeededGenerator(seed)
        var successes = 0
        for index in 0..<1_500 {
            let chosen = (0..<Int.random(in: 1...8, using: &random)).compactMap { _ in
                pieces.randomElement(using: &random)
            }
            let text = (index % 3 == 0 ? chosen : [pieces[0]] + chosen + ["\n\n"]).joined()
            if ControlFileSample.failure(of: text) == nil { successes += 1 }
            let bytes = (0..<index % 80).map { _ in UInt8.random(in: 0...255, using: &random) }
            _ = ControlFileSample.failure(of: bytes)
        }
        #expect(successes > 20)
    }
}

@Suite("Seeing that a control file was cut short")
struct ControlFileTruncationTests {
    /// Whether a text ends where a whole control file could: behind a blank line, comments apart.
    private func endsWhole(_ prefix: ArraySlice<UInt8>) -> Bool {
        guard prefix.last == UInt8(ascii: "\n") else { return false }
        let lines = prefix.dropLast().split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard let last = lines.last(where: { $0.first != UInt8(ascii: "#") }) else { return true }
        return last.isEmpty || Array(last) == [UInt8(ascii: "\r")]
    }

    @Test(
        "refuses each cut inside a paragraph and reads each cut between two as a prefix",
        arguments: ControlFileSample.Variant.allCases)
    func everyCut(variant: ControlFileSample.Variant) throws {
        let bytes = Array(variant.text.utf8)
        let whole = try ControlFileSample.read(variant.text)
        var prefixes: Set<Int> = []
        for length in 0..<bytes.count {
            let prefix = bytes[..<length]
            guard let error = ControlFileSample.failure(of: Array(prefix)) else {
                let paragraphs = try ControlFile.parse(bytes: Array(prefix)).paragraphs()
                #expect(endsWhole(prefix), "a cut at \(length) was not seen")
                #expect(paragraphs == Array(whole.prefix(paragraphs.count)), "a cut at \(length) gave wrong values")
                prefixes.insert(paragraphs.count)
                continue
            }
            #expect((1...(prefix.count { $0 == UInt8(ascii: "\n") } + 1)).contains(error.line ?? 1))
            switch error.code {
            case .truncated: #expect(!endsWhole(prefix), "a cut at \(length) leaves a whole file")
            case .empty: #expect(!prefix.contains(UInt8(ascii: "P")), "a cut at \(length) leaves a paragraph")
            case .notControlFile: #expect(length < 3 && prefix.first == 0xEF, "only half a byte order mark is none")
            default: Issue.record("a cut at \(length) gave \(error)")
            }
        }
        #expect(prefixes.isSuperset(of: [1, 2]))
    }

    @Test(
        "names the last line",
        arguments: [
            ("Package: a\nVersion: 1\nArchitecture: all\nSec", 4),
            ("Package: a\nVersion: 1\nArchitecture: all", 3),
            ("Package: a\nVersion: 1\nArchitecture: all\n", 3),
            ("Package: a\nVersion: 1\nArchitecture: all\n# c\n", 4),
            ("Package: a\nVersion: 1\nArchitecture: all\n\n\nPackage: b\n", 6),
            ("Package: a\nVersion: 1\nArchitecture: all\n\n ", 5),
            ("Package: a\nVersion: 1\nArchitecture: all\n\n# c", 5),
            ("Pack", 1),
        ])
    func lineNumber(text: String, line: Int) {
        let error = ControlFileSample.failure(of: text)
        #expect(error?.code == .truncated)
        #expect(error?.line == line)
    }

    @Test("refuses a cut file before it hands out the first paragraph")
    func beforeFirstParagraph() throws {
        let scratch = try TemporaryDirectory()
        let path = try scratch.write(ControlFileSample.text + "Package: b\n")
        let error = #expect(throws: ControlFileError.self) { try ControlFile.read(path: path) }
        #expect(error?.code == .truncated)
    }

    @Test("takes a last paragraph without a blank line where it is asked to")
    func lastParagraphWithoutBlankLine() throws {
        let text = ControlFileSample.paragraph("Section: x") + "Package: b\nVersion: 2\nArchitecture: all\n"
        let paragraphs = try ControlFileSample.read(text, ending: .endOfFile)
        #expect(paragraphs.map(\.name) == ["a", "b"])
        #expect(ControlFileSample.failure(of: text)?.code == .truncated)
    }

    @Test(
        "asks for a line end and the required fields all the same",
        arguments: [
            ("Package: b\nVersion: 2\nArchitecture: all", 7), ("Package: b\nVersion: 2\n", 6), ("Package: b\n", 5),
            ("Version: 2\nArchitecture: all\n", 6),
        ])
    func requiredAtTheEnd(last: String, line: Int) {
        let error = ControlFileSample.failure(of: ControlFileSample.paragraph() + last, ending: .endOfFile)
        #expect(error?.code == .truncated)
        #expect(error?.line == line)
    }

    @Test("sees a file become shorter while it is read")
    func shrinkingFile() throws {
        let scratch = try TemporaryDirectory()
        let path = try scratch.write(ControlFileSample.text)
        let file = try ControlFile.read(path: path)
        // Right behind the first paragraph's blank line, where what is left looks whole.
        let handle = try FileHandle(forWritingTo: URL(filePath: path))
        let boundary = try #require(ControlFileSample.text.firstRange(of: "\n\n")?.upperBound)
        try handle.truncate(atOffset: UInt64(ControlFileSample.text[..<boundary].utf8.count))
        try handle.close()
        let error = #expect(throws: ControlFileError.self) { try file.paragraphs() }
        #expect(error?.code == .truncated)
    }
}
