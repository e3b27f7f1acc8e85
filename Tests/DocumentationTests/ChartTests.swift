import Foundation
import StrongroomTesting
import Testing

@Suite("The charts of the guides")
struct ChartTests {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The guide with the whole table.
    private static let speed = root.appending(path: "Sources/Strongroom/Strongroom.docc/Speed.md")

    private struct Numbers: Decodable, Equatable {
        let ratio: Double
        let low: Double
        let high: Double
    }

    private struct Measured: Decodable {
        let ratio: Double?
        let low: Double?
        let high: Double?
        let grdb: Numbers?
        let grdbByHand: Numbers?
        let machineLimit: Double?

        var all: [Numbers] {
            var all: [Numbers] = []
            if let ratio, let low, let high { all.append(Numbers(ratio: ratio, low: low, high: high)) }
            return all + [grdb, grdbByHand].compactMap(\.self)
        }
    }

    @Test func theirNumbersAreThoseOfTheTable() throws {
        let article = try String(contentsOf: Self.speed, encoding: .utf8)
        let rows = article.split(separator: "\n").drop { !$0.hasPrefix("| measure | against C |") }
            .prefix { $0.hasPrefix("|") }
        let table = rows.flatMap { line in
            line.matches(of: /([0-9.]+) \(([0-9.]+) to ([0-9.]+)\)/).compactMap { match -> Numbers? in
                guard let ratio = Double(match.1), let low = Double(match.2), let high = Double(match.3) else {
                    return nil
                }
                return Numbers(ratio: ratio, low: low, high: high)
            }
        }
        let data = try Data(contentsOf: Self.root.appending(path: "Benchmarks/readme.json"))
        let charted = try JSONDecoder().decode([Measured].self, from: data).flatMap(\.all)
        #expect(table.count >= 20)
        #expect(charted == table)
    }

    @Test func theLimitsAreThoseOfTheTable() throws {
        let article = try String(contentsOf: Self.speed, encoding: .utf8)
        let rows = article.split(separator: "\n").drop { !$0.hasPrefix("| measure |") }.dropFirst(2)
            .prefix { $0.hasPrefix("| ") }
        let table = rows.map { row in
            let cells = row.split(separator: "|", omittingEmptySubsequences: false)
            return cells.count > 3 ? Double(cells[3].trimmingCharacters(in: .whitespaces)) : nil
        }
        let data = try Data(contentsOf: Self.root.appending(path: "Benchmarks/readme.json"))
        let measured = try JSONDecoder().decode([Measured].self, from: data).map(\.machineLimit)
        #expect(table.contains { $0 != nil })
        #expect(measured == table)
    }

    private static let python = ["/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    @Test(.enabled(if: python != nil, "there is no python3, in which the script is written"))
    func theyAreAsTheScriptDrawsThem() throws {
        let directory = try TemporaryDirectory()
        let script = Process()
        script.executableURL = URL(filePath: try #require(Self.python))
        script.arguments = [
            Self.root.appending(path: "Benchmarks/charts").path(percentEncoded: false),
            Self.root.appending(path: "Benchmarks/readme.json").path(percentEncoded: false), directory.path(""),
        ]
        try script.run()
        script.waitUntilExit()
        #expect(script.terminationStatus == 0)
        for name in ["speed-c.svg", "speed-grdb.svg"] {
            let drawn = try Data(contentsOf: URL(filePath: directory.path(name)))
            let kept = Self.root.appending(path: "Sources/Strongroom/Strongroom.docc/Resources/\(name)")
            #expect(try Data(contentsOf: kept) == drawn, "\(name): run Benchmarks/charts")
        }
    }

    @Test(.enabled(if: python != nil, "there is no python3, in which the script is written"))
    func theCurvesAreThoseOfTheSeries() throws {
        let directory = try TemporaryDirectory()
        let script = Process()
        script.executableURL = URL(filePath: try #require(Self.python))
        script.arguments = [
            Self.root.appending(path: "Benchmarks/charts").path(percentEncoded: false),
            Self.root.appending(path: "Benchmarks/growth.json").path(percentEncoded: false), directory.path(""),
        ]
        try script.run()
        script.waitUntilExit()
        #expect(script.terminationStatus == 0)
        for name in ["rows", "columns", "blobs", "tables", "wal"].map({ "growth-\($0).svg" }) {
            let drawn = try Data(contentsOf: URL(filePath: directory.path(name)))
            let kept = Self.root.appending(path: "Sources/Strongroom/Strongroom.docc/Resources/\(name)")
            #expect(try Data(contentsOf: kept) == drawn, "\(name): run Benchmarks/charts")
        }
    }

    /// README's own table is a part of the guide's.
    @Test func theNumbersOfReadmeAreThoseOfTheGuide() throws {
        let readme = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
        let rows = readme.split(separator: "\n").drop { !$0.hasPrefix("| | C loop |") }.dropFirst(2)
            .prefix { $0.hasPrefix("| ") }
        let data = try Data(contentsOf: Self.root.appending(path: "Benchmarks/readme.json"))
        let measured = try JSONDecoder().decode([Measured].self, from: data)
        #expect(rows.count == 5)
        for row in rows {
            let cells = row.split(separator: "|", omittingEmptySubsequences: false)
                .map { Double($0.trimmingCharacters(in: .whitespaces)) }
            let (byC, byGRDB) = (try #require(cells[2]), cells[3])
            #expect(measured.contains { $0.ratio == byC && $0.grdb?.ratio == byGRDB }, "\(row)")
        }
    }

    /// A picture without a background, for light and dark pages.
    @Test(arguments: [
        ("architecture", "README.md", "(Sources/Strongroom/Strongroom.docc/Resources/architecture.svg)"),
        ("speed-c", "Sources/Strongroom/Strongroom.docc/Speed.md", "(speed-c)"),
        ("speed-grdb", "Sources/Strongroom/Strongroom.docc/Speed.md", "(speed-grdb)"),
    ])
    func eachPictureFollowsThePage(name: String, page: String, link: String) throws {
        let picture = try String(
            contentsOf: Self.root.appending(path: "Sources/Strongroom/Strongroom.docc/Resources/\(name).svg"),
            encoding: .utf8)
        #expect(picture.contains("@media (prefers-color-scheme: dark)"))
        #expect(picture.contains("<title>"))
        let text = try String(contentsOf: Self.root.appending(path: page), encoding: .utf8)
        #expect(text.contains(link))
    }
}
