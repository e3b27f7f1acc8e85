import Configurations
import Foundation
import Testing

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
        "gives no wrong package when the blank line at the end is not asked for",
        arguments: ControlFileSample.Variant.allCases)
    func everyCutWithoutBlankLine(variant: ControlFileSample.Variant) throws {
        let bytes = Array(variant.text.utf8)
        let whole = try ControlFileSample.read(variant.text)
        for length in 0..<bytes.count {
            let prefix = Array(bytes[..<length])
            if let error = ControlFileSample.failure(of: prefix, ending: .endOfFile) {
                let isHalfMark = length < 3 && error.code == .notControlFile
                #expect(
                    error.code == .truncated || error.code == .empty || isHalfMark, "a cut at \(length) gave \(error)")
                continue
            }
            #expect(prefix.last == UInt8(ascii: "\n"), "a cut at \(length) was not seen")
            let paragraphs = try ControlFile.parse(bytes: prefix, ending: .endOfFile).paragraphs()
            try #require(!paragraphs.isEmpty)
            #expect(paragraphs.dropLast() == whole.prefix(paragraphs.count - 1))
            let (last, original) = (try #require(paragraphs.last), whole[paragraphs.count - 1])
            #expect(last.name == original.name)
            #expect(last.version == original.version)
            #expect(last.architecture == original.architecture)
            #expect(last.dependencies == Array(original.dependencies.prefix(last.dependencies.count)))
        }
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
        let scratch = try ControlFileScratch()
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
        let scratch = try ControlFileScratch()
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
