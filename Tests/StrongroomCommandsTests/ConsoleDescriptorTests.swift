import Foundation
import StrongroomCommands
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The console on real file descriptors: pipes, a terminal, a full device.
struct ConsoleDescriptorTests {
    private func console(_ descriptor: Int32, environment: [String: String] = [:]) -> Console {
        let stream = ConsoleStream(descriptor: descriptor, environment: environment)
        return Console(output: stream, errors: stream)
    }

    @Test("A line is in a pipe as soon as it is written")
    func pipe() throws {
        let pipe = try DescriptorPair.pipe()
        let console = console(pipe.writing)
        console.write("\("one", .red)")
        #expect(pipe.read() == "one\n")
        #expect(!console[.output].isTerminal)
        #expect(console[.output].width == 80)
    }

    @Test("A line that is larger than a pipe arrives whole, also if the pipe does not block", arguments: [false, true])
    func largeLine(isNonblocking: Bool) async throws {
        let pipe = try DescriptorPair.pipe()
        if isNonblocking { _ = fcntl(pipe.writing, F_SETFL, O_NONBLOCK) }
        let line = String(repeating: "0123456789", count: 100_000)
        let parts = pipe.readToEnd()
        console(pipe.writing).write("\(line)")
        pipe.closeWriting()
        #expect(await parts.reduce("", +) == line + "\n")
    }

    @Test("Lines from many threads stay whole, also if the pipe takes them in parts")
    func threads() async throws {
        let pipe = try DescriptorPair.pipe()
        _ = fcntl(pipe.writing, F_SETFL, O_NONBLOCK)
        let parts = pipe.readToEnd()
        let console = console(pipe.writing)
        let lines = (0..<20).map { String(repeating: String($0 % 10), count: 200_000 + $0) }
        await withTaskGroup { group in
            for line in lines {
                group.addTask { await onThreadOfItsOwn { console.write("\(line)") } }
            }
        }
        pipe.closeWriting()
        let received = await parts.reduce("", +).split(separator: "\n").map(String.init)
        #expect(received.sorted() == lines.sorted())
    }

    @Test("A reader that has gone does not end the process, and the console knows")
    func closedPipe() throws {
        let pipe = try DescriptorPair.pipe()
        let console = console(pipe.writing)
        pipe.closeReading()
        console.write("one")
        console.write("two", to: .errors)
        #expect(console.failure(of: .output) == .closed)
        #expect(console.failure(of: .errors) == .closed)
    }

    #if os(Linux)
    @Test("A full disk is reported")
    func fullDisk() throws {
        let descriptor = open("/dev/full", O_WRONLY)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let console = console(descriptor)
        console.write("one")
        #expect(console.failure(of: .output) == .failed(errno: ENOSPC))
    }
    #endif

    @Test("A terminal is known as one, says its width, and shows colours")
    func terminal() throws {
        let terminal = try DescriptorPair.terminal()
        var size = winsize(ws_row: 24, ws_col: 132, ws_xpixel: 0, ws_ypixel: 0)
        try #require(ioctl(terminal.writing, UInt(TIOCSWINSZ), &size) == 0)
        let console = console(terminal.writing, environment: ["COLUMNS": "40"])
        #expect(console[.output].isTerminal)
        #expect(console[.output].usesColors)
        #expect(console[.output].width == 132)
        console.write("\("one", .red)")
        #expect(terminal.read() == "\u{1B}[31mone\u{1B}[0m\r\n")
    }
}

/// Threads for tasks are few, and a test that needs several at once may get one.
private func onThreadOfItsOwn(_ work: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread {
            work()
            continuation.resume()
        }
    }
}
