import Foundation
import Strongroom
import StrongroomCommands
import StrongroomReplication

/// What the story has found.
struct FailoverReport: Encodable {
    /// The payments that the first host had acknowledged when it was killed.
    let acknowledged: Int
    /// The payments that the second host has.
    let found: Int
    /// Acknowledged payments that the second host does not have.
    let lost: Int
    /// How long taking over took.
    let takeOverMilliseconds: Double
    /// Objects in the replica, and their bytes.
    let objects: Int
    let bytes: Int
}

/// Two hosts, of which one dies.
struct FailoverStory {
    let directory: String
    let objects: any ObjectStore
    let isQuiet: Bool

    /// - Parameters:
    ///   - payments: After how many acknowledged payments the first host is killed.
    ///   - arguments: Those of the process that is the first host.
    mutating func run(_ payments: Int, _ arguments: [String]) async throws -> FailoverReport {
        let acknowledged = try await killedHost(payments, arguments)
        say("The first host was killed (SIGKILL). It had acknowledged \(acknowledged) payments.")
        let start = ContinuousClock.now
        let stores = try Stores(FailoverHost(directory: directory, objects: objects, name: "second"))
        let store = try await stores.takeOver(FailoverHost.file)
        let duration = (ContinuousClock.now - start) / .milliseconds(1)
        let (found, newest) = try await store.read { db in
            (
                try db.value("SELECT count(*) FROM payment") ?? 0 as Int,
                try db.value("SELECT count(*) FROM payment WHERE number <= \(acknowledged)") ?? 0 as Int
            )
        }
        say("The second host took over in \(Int(duration)) ms, and has \(found) payments.")
        try await store.writeReplicated { db in try db.execute("INSERT INTO payment VALUES (NULL)") }
        say("It continues: payment \(found + 1) is in the database, and in the replica.")
        try await store.close()
        let inspection = try await Replica(in: objects).inspect(DatabaseName(FailoverHost.file), verifying: true)
        let lost = acknowledged - newest
        say(lost == 0 ? "Nothing that was acknowledged is lost." : "\(lost) acknowledged payments are lost.")
        return FailoverReport(
            acknowledged: acknowledged, found: found, lost: lost, takeOverMilliseconds: duration,
            objects: inspection.objects, bytes: inspection.bytes)
    }

    private func say(_ line: String) {
        if !isQuiet { Console.standard.write(verbatim: line) }
    }

    /// Runs the first host until it has acknowledged so many payments, and kills it.
    ///
    /// - Returns: The number of payments that it had acknowledged.
    private func killedHost(_ payments: Int, _ arguments: [String]) async throws -> Int {
        guard let program = Bundle.main.executableURL else {
            throw CommandFailure("noProgram", "The path of this program is not known.", .software)
        }
        let (process, output) = (Process(), Pipe())
        process.executableURL = program
        process.arguments = arguments
        process.standardOutput = output
        try process.run()
        say("The first host is process \(process.processIdentifier). It writes, and the replica follows.")
        let (handle, identifier) = (output.fileHandleForReading, process.processIdentifier)
        let acknowledged = try await BlockingWork.run {
            var (text, last) = ("", 0)
            while case let data = handle.availableData, !data.isEmpty {
                text += String(decoding: data, as: UTF8.self)
                let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
                last = lines.dropLast().last.flatMap { Int($0) } ?? last
                text = lines.last.map(String.init) ?? ""
                if last >= payments { kill(identifier, SIGKILL) }
            }
            return last
        }
        process.waitUntilExit()
        guard acknowledged >= payments else {
            throw CommandFailure("noHost", "The first host ended early; see its message above.", .failure)
        }
        return acknowledged
    }
}
