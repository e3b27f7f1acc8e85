import Foundation
import Strongroom
import StrongroomTesting
import Synchronization

/// The service of the guide, as a process of its own that listens on a port of its own.
final class ServiceProcess: Sendable {
    struct DidNotStart: Error {
        let log: String
    }

    /// What it has written to its standard error.
    private final class Log: Sendable {
        private let text = Shared("")

        init(_ file: FileHandle) {
            Thread.detachNewThread { [self] in
                while case let data = file.availableData, !data.isEmpty {
                    text.withLock { $0 += String(decoding: data, as: UTF8.self) }
                }
            }
        }

        var all: String { text.withLock { $0 } }
    }

    private let process = Process()
    private let log: Log
    let port: Int

    /// Starts the service, with a key file, and waits until it listens.
    ///
    /// - Parameters:
    ///   - directory: The clinics' directory, beside which the key file is.
    ///   - variables: Further variables of its environment.
    init(_ directory: String, _ variables: [String: String] = [:]) async throws {
        // The tests and the programs of the package lie in one directory.
        let tests = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        process.executableURL = tests.deletingLastPathComponent().appending(path: "ClinicService")
        // The machine may be busy with other tests.
        // A crash ends it at once: a backtrace of a program with the thread sanitizer may take for ever.
        let own = [
            "CLINICS_DIRECTORY": directory, "CLINICS_KEY_FILE": "\(directory).keys", "CLINICS_PORT": "0",
            "CLINICS_PATIENCE_SECONDS": "60",
            "SWIFT_BACKTRACE": "enable=no",
        ]
        process.environment = ProcessInfo.processInfo.environment.merging(own) { $1 }.merging(variables) { $1 }
        _ = try KeyFile("\(directory).keys").keyChain(creating: true)
        let errors = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardError = errors
        try process.run()
        log = Log(errors.fileHandleForReading)
        var port: Int?
        while port == nil {
            try await Task.sleep(for: .milliseconds(5))
            port = log.all.firstMatch(of: /port=(\d+)/).flatMap { Int($0.1) }
            guard port != nil || process.isRunning else { throw DidNotStart(log: log.all) }
        }
        self.port = port ?? 0
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// What it has logged so far.
    var messages: String { log.all }

    var identifier: Int32 { process.processIdentifier }

    func client() throws -> HTTPClient { try HTTPClient(port: port) }

    /// Requests a graceful shutdown.
    func requestShutdown() { kill(process.processIdentifier, SIGTERM) }

    /// Kills it.
    func killNow() { kill(process.processIdentifier, SIGKILL) }

    /// Waits for its end.
    ///
    /// - Returns: Its exit status; that of a signal is its number, negative.
    func wait() async throws -> Int {
        try await onThread { [self] in
            process.waitUntilExit()
            let status = Int(process.terminationStatus)
            return process.terminationReason == .exit ? status : -status
        }
    }
}

/// Runs blocking work on a thread of its own.
func onThread<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
    }
}

/// A connection to a server on this machine, over TCP. Its calls block the thread.
final class HTTPClient {
    /// The server has ended the connection, or there is none.
    struct Disconnected: Error {}

    /// The server has not answered for ``patience`` seconds.
    struct NoAnswer: Error {}

    /// A server that does not answer fails the test instead of holding it up; on a busy machine it takes its time.
    private static let patience = 300

    struct Answer {
        let status: Int
        let body: String
    }

    private let descriptor: Int32
    private var buffer: [UInt8] = []

    init(port: Int) throws {
        descriptor = socket(AF_INET, Self.stream, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Disconnected() }
        var limit = timeval(tv_sec: Self.patience, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    #if canImport(Darwin)
    private static let stream = SOCK_STREAM
    private static let noSignal: Int32 = 0
    #else
    private static let stream = Int32(SOCK_STREAM.rawValue)
    private static let noSignal = Int32(MSG_NOSIGNAL)
    #endif

    /// Sends a request, and receives the whole answer.
    ///
    /// - Throws: ``Disconnected`` if the connection ends before the answer does.
    func request(_ method: String, _ path: String, _ body: String = "") throws -> Answer {
        try write(method, path, body)
        let (status, headers) = try readHead()
        if headers["transfer-encoding"] == "chunked" {
            var text = ""
            while let chunk = try nextChunk() { text += chunk }
            return Answer(status: status, body: text)
        }
        let length = headers["content-length"].flatMap { Int($0) } ?? 0
        return Answer(status: status, body: String(decoding: try read(length), as: UTF8.self))
    }

    /// Begins a stream of server-sent events.
    func openEvents(_ path: String) throws {
        try write("GET", path, "")
        guard try readHead().status == 200 else { throw Disconnected() }
    }

    /// The data of the next event; nil if the stream has ended as it should.
    func nextEvent() throws -> String? {
        guard let chunk = try nextChunk() else { return nil }
        return chunk.split(separator: "\n").first.map { String($0.trimmingPrefix("data: ")) }
    }

    private func write(_ method: String, _ path: String, _ body: String) throws {
        let bytes = Array(body.utf8)
        let head = """
            \(method) \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
            Content-Length: \(bytes.count)\r\n\r\n
            """
        let message = Array(head.utf8) + bytes
        var sent = 0
        while sent < message.count {
            let count = message.withUnsafeBytes {
                send(descriptor, $0.baseAddress?.advanced(by: sent), $0.count - sent, Self.noSignal)
            }
            guard count > 0 else { throw Disconnected() }
            sent += count
        }
    }

    private func readHead() throws -> (status: Int, headers: [String: String]) {
        let status = try readLine().split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        var headers: [String: String] = [:]
        while true {
            let line = try readLine()
            guard let colon = line.firstIndex(of: ":") else { return (status, headers) }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            headers[line[..<colon].lowercased()] = value.lowercased()
        }
    }

    private func nextChunk() throws -> String? {
        let size = Int(try readLine(), radix: 16) ?? 0
        let bytes = try read(size)
        _ = try readLine()
        return size == 0 ? nil : String(decoding: bytes, as: UTF8.self)
    }

    private func readLine() throws -> String {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: buffer[..<end], as: UTF8.self).trimmingCharacters(in: .newlines)
                buffer.removeSubrange(...end)
                return line
            }
            try receive()
        }
    }

    private func read(_ count: Int) throws -> [UInt8] {
        while buffer.count < count { try receive() }
        defer { buffer.removeFirst(count) }
        return Array(buffer.prefix(count))
    }

    private func receive() throws {
        var part = [UInt8](repeating: 0, count: 16_384)
        let count = recv(descriptor, &part, part.count, 0)
        if count < 0, errno == EAGAIN { throw NoAnswer() }
        guard count > 0 else { throw Disconnected() }
        buffer += part.prefix(count)
    }
}
