import Foundation
import StrongroomTesting
import Testing

@testable import Strongroom

#if os(Linux)
/// Who has a file open is told, and no process that is only being started.
@Suite struct FileHolderTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("vault.sqlite")
        // Without opening it: a process that another test starts at that moment would have it, too.
        try #require(mknod(path, S_IFREG | 0o600, 0) == 0)
    }

    /// It has what starts it until it is told to let go, as long as a process has it that becomes another program.
    @Test func aProcessThatIsBeingStartedIsNotTold() throws {
        let child = try Shell("exec 9<\"$FILE\"; : >\"$HERE\"; read answer; exec 9<&-; read answer", file: path)
        #expect(try FileHolders.using(path) == [child.process])
        let waits = Locked(0)
        let staying = try FileHolders.staying(path, patience: .seconds(Patience.seconds)) {
            if waits.withLock({
                $0 += 1; return $0
            }) == 2 {
                try child.goOn()
            }
        }
        #expect(staying.isEmpty)
        #expect(waits.withLock { $0 } >= 2)
        try child.end()
    }

    @Test func oneAfterTheOtherIsNotTold() throws {
        let children = Locked([try Shell(Self.holding, file: path)])
        let staying = try FileHolders.staying(path, patience: .seconds(Patience.seconds)) {
            try children.withLock { children in
                guard children.count == 1 else { return }
                // There is one before the other has gone.
                children.append(try Shell(Self.holding, file: path))
                try children[0].end()
            }
        }
        #expect(staying.isEmpty)
        try children.withLock { children in
            #expect(try children.count == 2 && FileHolders.using(path) == [children[1].process])
            // Where nobody was waited for the first one is still there.
            try children[children.count - 1].end()
        }
    }

    @Test func oneThatStaysIsTold() throws {
        let child = try Shell(Self.holding, file: path)
        #expect(try FileHolders.staying(path, patience: .milliseconds(50)) {} == [child.process])
        try child.end()
    }

    @Test func oneThatAnotherProgramHasStartedIsToldAtOnce() throws {
        // The shell in between does not have the file.
        let child = try Shell("sh -c 'exec 9<\"$FILE\"; : >\"$HERE\"; read answer; exit 0'; exit 0", file: path)
        let staying = try FileHolders.staying(path) { Issue.record("waited for a process that is long there") }
        #expect(staying.count == 1 && staying != [child.process])
        try child.end()
    }

    @Test(.enabled(if: Program(named: "flock") != nil)) func oneThatHasALockIsToldAtOnce() throws {
        let child = try Shell("exec flock -o \"$FILE\" sh -c ': >\"$HERE\"; read answer'", file: path)
        #expect(try FileHolders.staying(path) { Issue.record("waited for a process with a lock") } == [child.process])
        try child.end()
    }

    /// Has the file until it is told to end.
    private static let holding = "exec 9<\"$FILE\"; : >\"$HERE\"; read answer"
}

/// A shell that tells once that it has come somewhere, and goes on when it is told to.
private final class Shell: Sendable {
    private struct Ended: Error {}

    let process: Int
    private let program = Process()
    private let input = Pipe()
    private let directory: TemporaryDirectory

    /// Starts it and waits until it has come there.
    ///
    /// - Parameter script: Makes the file `$HERE` where it has come, and has a name for what it may touch, `$FILE`.
    init(_ script: String, file: String) throws {
        directory = try TemporaryDirectory()
        let here = directory.path("here")
        program.executableURL = URL(filePath: "/bin/sh")
        program.arguments = ["-c", script]
        program.environment = ProcessInfo.processInfo.environment.merging(["FILE": file, "HERE": here]) { $1 }
        program.standardInput = input
        try program.run()
        process = Int(program.processIdentifier)
        while !FileManager.default.fileExists(atPath: here) {
            guard program.isRunning else { throw Ended() }
            Thread.sleep(forTimeInterval: 0.005)
        }
    }

    func goOn() throws {
        // Where it has ended this fails, rather than ends the tests.
        _ = signal(SIGPIPE, SIG_IGN)
        try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
    }

    /// Wherever it is: there is nothing more for it to read.
    ///
    /// It is told, too, unless it has ended already: a process that another test starts at that moment may have the
    /// pipe open for long.
    func end() throws {
        for _ in 0..<2 { try? goOn() }
        try input.fileHandleForWriting.close()
        program.waitForEnd()
    }
}
#endif
