import Configurations
import Foundation

/// Looks for parts of the input, and for the marks of a plaintext database, in a file's bytes.
struct PlaintextSearch {
    /// The parts.
    let phrases: [String]

    private static let marks = ["SQLite format 3", "CREATE TABLE", "strongroom_migrations"]
    private static let phraseCount = 20
    private static let shortest = 16

    /// Takes phrases from the paragraphs of a control file, spread over the whole of it.
    ///
    /// - Throws: `ControlFileError` when the file is not intact.
    init(control file: ControlFile) throws {
        let stride = max(1, file.paragraphCount / Self.phraseCount)
        var phrases = Self.marks
        var index = 0
        try file.forEachParagraph { paragraph in
            defer { index += 1 }
            guard index.isMultiple(of: stride) else { return }
            let candidate = paragraph.summary ?? paragraph.maintainer ?? ""
            if candidate.utf8.count >= Self.shortest { phrases.append(candidate) }
        }
        self.phrases = phrases
    }

    /// Searches a file.
    ///
    /// - Parameter path: The file; to be closed by the engine.
    /// - Returns: The file's size, and the phrases that stand in it.
    func run(_ path: String) throws -> (bytes: Int, found: [String]) {
        let content = try Data(contentsOf: URL(filePath: path), options: .mappedIfSafe)
        return (content.count, phrases.filter { content.range(of: Data($0.utf8)) != nil })
    }
}
