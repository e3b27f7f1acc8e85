import Foundation
import TestData

/// Says which engine it works on, then does the works that it reads from standard input, a line each, until the input
/// ends.
@main
struct GRDBRival {
    private struct UnknownWork: Error {
        let line: String
    }

    static func main() async {
        do {
            try await work()
        } catch {
            FileHandle.standardError.write(Data("GRDBRival: \(error)\n".utf8))
            exit(EXIT_FAILURE)
        }
    }

    private static func work() async throws {
        try answer(EncryptedPool.engine().line)
        var worker = Worker()
        while let line = readLine() {
            let words = line.split(separator: " ", maxSplits: 1)
            guard words.count == 2, let work = Work(rawValue: String(words[0])) else { throw UnknownWork(line: line) }
            try await answer(worker.run(work, on: String(words[1])).line)
        }
    }

    private static func answer(_ line: String) throws {
        try FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
    }
}
