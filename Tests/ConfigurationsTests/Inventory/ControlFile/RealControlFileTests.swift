import Configurations
import Foundation
import StrongroomTesting
import Testing

/// Where Debian's own programs keep their files.
private enum RealControlFile {
    static let status = "/var/lib/dpkg/status"
    static let helper = "/usr/lib/apt/apt-helper"

    static var hasStatus: Bool {
        FileManager.default.fileExists(atPath: status)
    }

    /// apt's lists, which it keeps compressed; none where nothing could unpack them.
    static var lists: [String] {
        guard FileManager.default.isExecutableFile(atPath: helper) else { return [] }
        let folder = "/var/lib/apt/lists"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.contains("_Packages") }.map { "\(folder)/\($0)" }.sorted()
    }
}

@Suite("Control files that Debian's own programs wrote on this machine")
struct RealControlFileTests {
    private func compareWithModel(_ data: Data, _ file: ControlFile) throws {
        let model = ControlFileModel.paragraphs(of: try #require(String(data: data, encoding: .utf8)))
        try #require(file.paragraphCount == model.count)
        var index = 0
        try file.forEachParagraph { paragraph in
            let differences = ControlFileModel.differences(paragraph, model[index])
            if !differences.isEmpty { Issue.record("\(paragraph.name): \(differences)") }
            index += 1
        }
        #expect(index == model.count)
    }

    @Test(
        "dpkg's status is read as a plain reading of its lines gives it",
        .enabled(if: RealControlFile.hasStatus, "this system has no dpkg"))
    func status() throws {
        let file = try ControlFile.read(path: RealControlFile.status)
        try compareWithModel(try Data(contentsOf: URL(filePath: RealControlFile.status)), file)
        let dpkg = try #require(try file.paragraphs().first { $0.name == "dpkg" })
        #expect(dpkg.status == "install ok installed")
        #expect(dpkg.summary == "Debian package management system")
        #expect(
            dpkg.dependencies.contains { $0.kind == .preDepends && $0.name == "libc6" && $0.relation == .laterOrEqual })
    }

    @Test(
        "the smallest of apt's lists is read as a plain reading of its lines gives it",
        .enabled(if: !RealControlFile.lists.isEmpty, "this system has no lists of apt's"))
    func smallestList() throws {
        let sizes = try RealControlFile.lists.map { path in
            (path, try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0)
        }
        let path = try #require(sizes.filter { $0.1 > 0 }.min { $0.1 < $1.1 }?.0)
        let directory = try TemporaryDirectory()
        let output = directory.url.appending(path: "list")
        try Data().write(to: output)
        let process = Process()
        process.executableURL = URL(filePath: RealControlFile.helper)
        process.arguments = ["cat-file", path]
        // A file, since reading a pipe can be interrupted by a signal.
        process.standardOutput = try FileHandle(forWritingTo: output)
        try process.run()
        process.waitUntilExit()
        let data = try Data(contentsOf: output)
        let file = try ControlFile.parse(bytes: Array(data))
        try compareWithModel(data, file)
        #expect(try file.paragraphs().allSatisfy { $0.status == nil })
    }
}
