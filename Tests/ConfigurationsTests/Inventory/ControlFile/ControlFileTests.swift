import Configurations
import Foundation
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

    @Test("reads a file as it reads its bytes, through windows smaller than either")
    func largeFile() throws {
        let scratch = try ControlFileScratch()
        var random = ControlFileRandom(state: 7)
        let words = (0..<4_000).map { index in
            (index, String(repeating: "é\(index) ", count: Int.random(in: 1...200, using: &random)))
        }
        let text = words.map { index, filling in
            """
            Package: p\(index)\nVersion: \(index)\nArchitecture: all\nInstalled-Size: \(index)\nDescription: \
            \(index)\n \(filling)\n\n
            """
        }.joined()
        let path = try scratch.write(text)
        let file = try ControlFile.read(path: path)
        #expect(file.paragraphCount == words.count)
        var index = 0
        try file.forEachParagraph { paragraph in
            guard paragraph.name == "p\(index)", paragraph.installedSize == Int64(index),
                paragraph.description == words[index].1
            else {
                Issue.record("paragraph \(index) differs")
                return
            }
            index += 1
        }
        #expect(index == words.count)
        #expect(try ControlFile.parse(bytes: Array(text.utf8)).paragraphs() == file.paragraphs())
    }

    @Test("reads a line of 1 MiB and a paragraph of many such")
    func longLines() throws {
        let filling = String(repeating: "x", count: (1 << 20) - 1)
        let text = ControlFileSample.paragraph("Description: s", " " + filling, " " + filling, " " + filling)
        let both = try ControlFileSample.read(text + text)
        #expect(both.count == 2)
        #expect(both.allSatisfy { $0.description == [filling, filling, filling].joined(separator: "\n") })
    }

    @Test("takes no room for comments and blank lines before a paragraph")
    func longComments() throws {
        let comment = "#" + String(repeating: "x", count: 1 << 16) + "\n\n"
        let text = String(repeating: comment, count: 300) + ControlFileSample.paragraph()
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

    @Test("passes on an error that the caller's closure throws, and stops there")
    func callerError() throws {
        struct Enough: Error {}
        let file = try ControlFile.parse(bytes: Array(ControlFileSample.text.utf8))
        var names: [String] = []
        #expect(throws: Enough.self) {
            try file.forEachParagraph {
                names.append($0.name)
                if names.count == 2 { throw Enough() }
            }
        }
        #expect(names == ["libhello1", "hello"])
    }

    @Test("serves several tasks at once")
    func concurrentReading() async throws {
        let scratch = try ControlFileScratch()
        let file = try ControlFile.read(path: try scratch.write(ControlFileSample.text))
        let expected = try file.paragraphs()
        try await withThrowingTaskGroup(of: [PackageParagraph].self) { group in
            for _ in 0..<8 { group.addTask { try file.paragraphs() } }
            for try await paragraphs in group { #expect(paragraphs == expected) }
        }
    }

    @Test("leaves the file as it is")
    func neverWrites() throws {
        let scratch = try ControlFileScratch()
        let path = try scratch.write(ControlFileSample.text)
        let before = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
        _ = try ControlFile.read(path: path).paragraphs()
        #expect(try String(contentsOfFile: path, encoding: .utf8) == ControlFileSample.text)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date == before)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: scratch.url.path(percentEncoded: false)) == ["status"])
    }

    @Test("reads a file that grows while it is open as it was when it was opened")
    func growingFile() throws {
        let scratch = try ControlFileScratch()
        // Longer than one window, so that the last one has room for more.
        let filling = " " + String(repeating: "x", count: 300_000)
        let path = try scratch.write(ControlFileSample.paragraph("Description: s", filling) + ControlFileSample.text)
        let file = try ControlFile.read(path: path)
        let handle = try FileHandle(forWritingTo: URL(filePath: path))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("Package: lat".utf8))
        try handle.close()
        #expect(try file.paragraphs().count == 4)
    }

    @Test(
        "opens the file for reading alone and closes it with the last value that needs it",
        .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd"), "needs Linux's list of open files"))
    func descriptors() throws {
        let scratch = try ControlFileScratch()
        let path = try scratch.write(ControlFileSample.text)
        func openDescriptors() throws -> [Int32] {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter { name in
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
                return target?.contains(scratch.url.lastPathComponent) == true
            }.compactMap { Int32($0) }
        }
        do {
            var reader = try ControlFile.read(path: path).makeReader()
            #expect(try reader.next() != nil)
            let descriptors = try openDescriptors()
            #expect(descriptors.count == 1)
            #expect(descriptors.allSatisfy { fcntl($0, F_GETFL) & O_ACCMODE == O_RDONLY })
        }
        #expect(try openDescriptors().isEmpty)
        #expect(throws: ControlFileError.self) { try ControlFile.read(path: try scratch.write("Package", to: "cut")) }
        #expect(throws: ControlFileError.self) { try ControlFile.read(path: scratch.url.path(percentEncoded: false)) }
        #expect(try openDescriptors().isEmpty)
    }
}
