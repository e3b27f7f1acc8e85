import Foundation

/// The page of a tutorial, its code files, and the sources of the tests in which their lines have to be.
struct TutorialCode: Sendable {
    private static let catalog = Documentation.root.appending(path: "Sources/Strongroom/Strongroom.docc")
    private static let resources = catalog.appending(path: "Resources")

    /// The names of the code files, in alphabetical order.
    let files: [String]

    private let directory: String
    private let page: URL
    private let sources: [URL]

    /// - Parameters:
    ///   - page: The name of the page in `Tutorials`, without its ending.
    ///   - directory: The name of the directory of the code files in `Resources`.
    ///   - sources: The names of the sources next to this one, without their ending.
    init(page: String, directory: String, sources: [String]) {
        self.page = Self.catalog.appending(path: "Tutorials/\(page).tutorial")
        self.directory = directory
        self.sources = sources.map {
            Documentation.root.appending(path: "Tests/DocumentationTests/Tutorial/\($0).swift")
        }
        files = Self.names(in: directory)
    }

    /// The names of all resources outside of the directory. DocC finds a file by its name alone.
    var otherResources: Set<String> {
        get throws {
            let directories = try FileManager.default.contentsOfDirectory(
                atPath: Self.resources.path(percentEncoded: false))
            return Set(directories.filter { $0 != directory }.flatMap { [$0] + Self.names(in: $0) })
        }
    }

    /// The text of the page.
    var text: String { get throws { try Documentation.text(of: page) } }

    /// The names of the files that the page shows.
    var shown: [String] {
        get throws { try text.matches(of: /file: "([^"]+)"/).map { String($0.1) } }
    }

    /// The lines of a code file without its imports.
    func lines(of file: String) throws -> [Substring] {
        try Self.lines(of: Self.resources.appending(path: "\(directory)/\(file)"))
    }

    /// Whether a source has all of some lines, in their order.
    func isCompiled(_ lines: [Substring]) throws -> Bool {
        try sources.contains { source in
            var rest = lines[...]
            for line in try Self.lines(of: source) where line == rest.first { rest = rest.dropFirst() }
            return rest.isEmpty
        }
    }

    private static func lines(of file: URL) throws -> [Substring] {
        try Documentation.text(of: file).split(separator: "\n")
            .map { $0.drop { $0 == " " } }.filter { !$0.isEmpty && !$0.hasPrefix("import ") }
    }

    private static func names(in directory: String) -> [String] {
        let path = resources.appending(path: directory).path(percentEncoded: false)
        return (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? []
    }
}
