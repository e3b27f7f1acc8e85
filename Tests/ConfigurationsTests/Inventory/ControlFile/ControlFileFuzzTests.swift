import Configurations
import Testing

@Suite("Control files of chance")
struct ControlFileFuzzTests {
    /// Reads `bytes`; where that succeeds, compares the values with the model's.
    private func check(_ bytes: [UInt8], ending: ControlFile.Ending) throws -> Bool {
        guard let file = try? ControlFile.parse(bytes: bytes, ending: ending), let paragraphs = try? file.paragraphs()
        else {
            return false
        }
        let text = try #require(String(validating: bytes, as: UTF8.self))
        let model = ControlFileModel.paragraphs(of: text)
        #expect(paragraphs.count == file.paragraphCount && model.count == file.paragraphCount, "\(bytes)")
        for (paragraph, fields) in zip(paragraphs, model) {
            let differences = ControlFileModel.differences(paragraph, fields)
            #expect(differences.isEmpty, "\(differences) in \(text.debugDescription)")
        }
        return true
    }

    @Test("never crash the parser, random bytes", arguments: 0..<8 as Range<UInt64>)
    func randomBytes(seed: UInt64) throws {
        var random = ControlFileRandom(state: seed)
        for _ in 0..<1_000 {
            let bytes = (0..<Int.random(in: 0...80, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            #expect(try !check(bytes, ending: .blankLine), "random bytes can hardly be a control file: \(bytes)")
        }
    }

    @Test("are read right or refused, random pieces of the grammar", arguments: 0..<8 as Range<UInt64>)
    func randomPieces(seed: UInt64) throws {
        let pieces = [
            "Package: a\n", "Version: 1\n", "Architecture: all\n", "Package: a\nVersion: 1\nArchitecture: all\n", "\n",
            "\n\n",
            "\r\n", " ", "\t", ".\n", " .\n", "#", "# c\n", ":", "Depends: ", "a, b", " | ", "(>= 1)", "\n ",
            "Description: s\n",
            " long\n", "Section: x\n", "Installed-Size: 1\n", "é", "\u{0}", "Status: install ok not-installed\n",
            "Pre-",
        ]
        var random = ControlFileRandom(state: seed)
        var successes = 0
        for index in 0..<1_500 {
            let chosen = (0..<Int.random(in: 1...8, using: &random)).compactMap { _ in
                pieces.randomElement(using: &random)
            }
            // A whole paragraph to start with and a blank line at the end let more of them through to the comparison.
            let text = index % 3 == 0 ? chosen : [pieces[3]] + chosen + ["\n\n"]
            let ending: ControlFile.Ending = index.isMultiple(of: 2) ? .blankLine : .endOfFile
            if try check(Array(text.joined().utf8), ending: ending) { successes += 1 }
        }
        #expect(successes > 20, "the pieces make too few control files to say anything")
    }

    @Test("are read right or refused, a sample with bytes changed", arguments: 0..<8 as Range<UInt64>)
    func changedSample(seed: UInt64) throws {
        let likely = Array("\n\r\t :#,|()<>=[].-aA0\u{0}".utf8) + [0x80, 0xC3, 0xFF]
        let variants = ControlFileSample.Variant.allCases.map { Array($0.text.utf8) }
        var random = ControlFileRandom(state: seed)
        var successes = 0
        for index in 0..<600 {
            var bytes = variants[index % variants.count]
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                let byte = likely.randomElement(using: &random) ?? 0
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = byte
                case 1: bytes.insert(byte, at: place)
                case 2: bytes.remove(at: place)
                default: bytes.swapAt(place, Int.random(in: 0..<bytes.count, using: &random))
                }
            }
            if try check(bytes, ending: .blankLine) { successes += 1 }
        }
        #expect(successes > 20, "the changes leave too few control files to say anything")
    }
}
