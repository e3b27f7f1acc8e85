#if os(Linux)
import Foundation
import StrongroomTesting
import Testing

/// The victim, stopping where its memory is to be looked at.
final class PausedProgram {
    private let process = Process()
    private let input = Pipe()
    private let outputFile: URL

    /// Starts the program.
    ///
    /// - Parameters:
    ///   - directory: Where its output goes.
    ///   - temporary: Where it makes temporary files.
    init(_ arguments: [String], _ directory: TemporaryDirectory, watching temporary: String) throws {
        outputFile = directory.url.appending(path: "output")
        try Data().write(to: outputFile)
        process.executableURL = try Tool().url.deletingLastPathComponent().appending(path: "FaultVictim")
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment
            .merging(["TMPDIR": temporary, "SQLITE_TMPDIR": temporary]) { $1 }
        process.standardInput = input
        let output = try FileHandle(forWritingTo: outputFile)
        process.standardOutput = output
        process.standardError = output
        try process.run()
    }

    /// The lines that it has said.
    func output() throws -> [String] {
        try String(contentsOf: outputFile, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    /// Waits until it has said a line, as long as it runs.
    func wait(for line: String) async throws {
        while true {
            let isRunning = process.isRunning
            let said = try output()
            if said.contains(line) { return }
            try #require(isRunning, "it ended, having said \(said)")
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    func goOn() throws {
        // Where it has ended this fails, rather than ends the tests.
        _ = signal(SIGPIPE, SIG_IGN)
        try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
    }

    func end() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Whether what the process can write to holds something of a list.
    func memory(holds secrets: [Data]) throws -> Bool {
        let folder = "/proc/\(process.processIdentifier)"
        let maps = try String(contentsOfFile: "\(folder)/maps", encoding: .utf8)
        let memory = try FileHandle(forReadingFrom: URL(filePath: "\(folder)/mem"))
        for line in maps.split(separator: "\n") {
            guard let range = line.firstMatch(of: /^([0-9a-f]+)-([0-9a-f]+) rw/) else { continue }
            guard let start = UInt64(range.1, radix: 16), let end = UInt64(range.2, radix: 16) else { continue }
            if Self.holds(memory.fileDescriptor, start..<end, secrets) { return true }
        }
        return false
    }

    /// Looks at a range in pieces, each of which overlaps the one before by more than the longest secret.
    private static func holds(_ memory: Int32, _ range: Range<UInt64>, _ secrets: [Data]) -> Bool {
        let (piece, overlap) = (1 << 20, 1 << 10)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: piece, alignment: 16)
        defer { buffer.deallocate() }
        guard let bytes = buffer.baseAddress else { return false }
        for start in stride(from: range.lowerBound, to: range.upperBound, by: piece - overlap) {
            let length = pread(memory, bytes, min(piece, Int(range.upperBound - start)), off_t(start))
            // What the kernel keeps for itself cannot be read.
            guard length > 0 else { return false }
            let content = Data(bytesNoCopy: bytes, count: length, deallocator: .none)
            if secrets.contains(where: { content.range(of: $0) != nil }) { return true }
        }
        return false
    }
}
#endif
