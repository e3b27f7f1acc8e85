import ArgumentParser
import Foundation
import Strongroom

struct BenchmarksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Benchmarks/run",
        abstract: "Measures Strongroom against its rivals, both in one run.",
        subcommands: [ForeignWriter.self, HotLoop.self, GrowthReader.self]
    )

    @Option(help: "Run one group; can be given more than once.")
    var only: [String] = []

    @Option(help: "Write the results into a file: a JSON array with one object a measure.")
    var json: String?

    @Option(help: "The counted runs of each measure, at least 5; one more comes first and does not count.")
    var runs = 5

    @Option(help: "The databases that family-open makes, a multiple of 500.")
    var databases = 10_000

    @Option(help: "The size of the file that rotate rewrites, in millions of bytes, 1 to 10,000.")
    var megabytes = 100

    @Option(help: "The rows of the file with an index in random order, in checking.")
    var indexRows = 1_000_000

    @Option(help: "The documents that are searched, at least 1,000.")
    var documents = 200_000

    @Option(help: "The seconds in which a process does nothing but observe, at least 10.")
    var idleSeconds = 60

    @Option(help: "The stores with replicas that replicated-tenants opens.")
    var tenants = 1_000

    @Option(
        help: "How long the replicas of replicated-tenants wait, in milliseconds; by default 500, 1,000 and 10,000.")
    var interval: [Int] = []

    @Option(help: "The rows of the largest table of growth, a multiple of 10,000.")
    var growthRows = 10_000_000

    @Option(help: "In growth, measure one curve; can be given more than once.")
    var curve: [Curve] = []

    @Option(help: "Also measure against GRDB, with this program of the package.")
    var grdb: String?

    @Flag(help: "Measure nothing; fail, with the reason, when GRDB cannot be measured on this engine.")
    var checkGRDB = false

    @Flag(help: "Name the engine and measure nothing.")
    var engine = false

    @Flag(help: "List the groups and measure nothing.")
    var list = false

    func validate() throws {
        guard runs >= 5 else { throw ValidationError("--runs is \(runs); a median needs at least 5.") }
        guard databases >= 500, databases.isMultiple(of: 500) else {
            throw ValidationError("--databases is \(databases); a tenth must be a multiple of the 50 that are open.")
        }
        guard (1...10_000).contains(megabytes) else { throw ValidationError("--megabytes is \(megabytes).") }
        guard indexRows > 0 else { throw ValidationError("--index-rows is \(indexRows).") }
        guard tenants > 0, interval.allSatisfy({ $0 > 0 }) else {
            throw ValidationError("--tenants, --interval: above 0.")
        }
        guard documents >= 1_000 else { throw ValidationError("--documents is \(documents).") }
        guard growthRows >= 10_000, growthRows.isMultiple(of: 10_000) else {
            throw ValidationError("--growth-rows is \(growthRows); it must be a multiple of 10,000.")
        }
        guard idleSeconds >= 10 else { throw ValidationError("--idle-seconds is \(idleSeconds).") }
        for name in only where !Group.all.contains(where: { $0.name == name }) {
            let names = Group.all.map(\.name).joined(separator: ", ")
            throw ValidationError("There is no group \"\(name)\"; there are \(names).")
        }
    }

    func run() async throws {
        let groups = Group.all.filter { only.isEmpty || only.contains($0.name) }
        guard !list else {
            for group in groups { print("\(group.name): \(group.summary)") }
            return
        }
        guard !engine else { return print("SQLCipher \(try EngineFeatures.current().cipherVersion)") }
        guard !checkGRDB else {
            guard let reason = GRDBProcess.reasonAgainst(try EngineFeatures.current()) else { return }
            try FileHandle.standardError.write(contentsOf: Data("\(reason)\n".utf8))
            throw ExitCode.failure
        }
        if groups.contains(where: { $0.name == Group.growth.name }), curve.isEmpty || curve.contains(.rows) {
            // Now, and not after hours of other groups.
            try GrowthSpace.require(rows: growthRows)
        }
        let results = try await measure(groups)
        print(ResultTable(results).text)
        if let json { try Self.write(results, to: json) }
    }

    private func measure(_ groups: [Group]) async throws -> [Result] {
        let engine = try EngineFeatures.current().cipherVersion
        var results: [Result] = []
        for group in groups {
            try FileHandle.standardError.write(contentsOf: Data("\(group.name): \(group.summary)\n".utf8))
            let process = try grdb.map { try GRDBProcess(program: $0) }
            var workplace = try Workplace(
                grdb: process, familySize: databases, megabytes: megabytes, documentCount: documents,
                idleSeconds: idleSeconds)
            workplace.tenants = tenants
            workplace.growthRows = growthRows
            workplace.indexRows = indexRows
            if !curve.isEmpty { workplace.curves = Curve.allCases.filter(curve.contains) }
            if !interval.isEmpty { workplace.intervals = interval.map { .milliseconds($0) } }
            do {
                for measure in try await group.measures(workplace) {
                    results.append(try await measure.run(runs: runs, engine: engine))
                }
            } catch {
                try await workplace.remove()
                throw error
            }
            try await workplace.remove()
            try process?.close()
        }
        return results
    }

    private static func write(_ results: [Result], to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try (encoder.encode(results) + Data("\n".utf8)).write(to: URL(filePath: path))
    }
}
