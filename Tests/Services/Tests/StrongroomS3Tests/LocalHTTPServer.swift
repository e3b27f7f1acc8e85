#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif
import Foundation

/// A small HTTP server on the loopback interface that misbehaves as a test wants.
final class LocalHTTPServer: Sendable {
    struct Request: Sendable {
        let method: String
        /// The path and the query, as they were sent.
        let target: String
        /// With lowercase names.
        let headers: [String: String]
        var body: [UInt8] = []
        /// The number of the connection, from 1.
        let connection: Int
    }

    enum Reply: Sendable {
        case answer(Int, [String: String] = [:], String = "")
        /// These bytes, after which the connection is closed, or reset.
        case raw(String, reset: Bool = false)
        /// These bytes, after which the connection stays open.
        case open(String)
        /// The first bytes, and then the second ones for ever.
        case flood(String, String)
        /// Nothing, while the connection stays open.
        case silence
        /// The connection is closed without an answer.
        case drop
    }

    /// Replies to the request with a number, from 1.
    typealias Handler = @Sendable (Int, Request) -> Reply

    private struct State {
        var requests: [Request] = []
        var sockets: [Int32] = []
        var connections = 0
        var isStopped = false
    }

    private let state = Shared(State())
    private let listener: Int32
    let port: Int

    var endpoint: String { "http://127.0.0.1:\(port)" }
    var requests: [Request] { state.withLock { $0.requests } }
    var connections: Int { state.withLock { $0.connections } }
    /// The number of connections that are open.
    var open: Int { state.withLock { $0.sockets.count } }

    /// - Parameters:
    ///   - early: Replies to a request before its body is read; nil for the handler's reply after it.
    init(early: (@Sendable (Request) -> Reply?)? = nil, _ handler: @escaping Handler) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let socket = listener
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(socket, pointer, length) == 0 && listen(socket, 64) == 0
                    && getsockname(socket, pointer, &length) == 0
            }
        }
        guard isListening else { throw POSIXError(.EADDRNOTAVAIL) }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [state] in
            defer { close(socket) }
            while true {
                let connection = accept(socket, nil, nil)
                guard connection >= 0 else { return }
                let number = state.withLock { state -> Int? in
                    guard !state.isStopped else { return nil }
                    state.sockets.append(connection)
                    state.connections += 1
                    return state.connections
                }
                guard let number else {
                    close(connection)
                    return
                }
                Thread.detachNewThread { Self.serve(connection, number, state, early, handler) }
            }
        }
    }

    deinit {
        // The threads close the sockets, whose numbers other servers may have from then on.
        state.withLock { state in
            state.isStopped = true
            for socket in state.sockets { shutdown(socket, Int32(SHUT_RDWR)) }
        }
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private static func serve(
        _ socket: Int32, _ number: Int, _ state: Shared<State>, _ early: (@Sendable (Request) -> Reply?)?,
        _ handler: Handler
    ) {
        defer {
            state.withLock { $0.sockets.removeAll { $0 == socket } }
            close(socket)
        }
        var input = HTTPInput(socket: socket)
        while var request = input.head(connection: number) {
            if let reply = early?(request) {
                state.withLock { $0.requests.append(request) }
                guard send(reply, socket) else { return }
                continue
            }
            guard let body = input.bytes(Int(request.headers["content-length"] ?? "0") ?? 0) else { return }
            request.body = body
            let count = state.withLock { state in
                state.requests.append(request)
                return state.requests.count
            }
            guard send(handler(count, request), socket) else { return }
        }
    }

    /// - Returns: Whether the connection stays open.
    private static func send(_ reply: Reply, _ socket: Int32) -> Bool {
        switch reply {
        case .answer(let status, var headers, let body):
            headers["Content-Length"] = headers["Content-Length"] ?? String(body.utf8.count)
            let lines = headers.map { "\($0): \($1)\r\n" }.joined()
            return write("HTTP/1.1 \(status) Reason\r\n\(lines)\r\n\(body)", socket)
        case .raw(let text, let reset):
            _ = write(text, socket)
            if reset {
                var linger = linger(l_onoff: 1, l_linger: 0)
                setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
            }
            return false
        case .open(let text): return write(text, socket)
        case .flood(let text, let portion):
            guard write(text, socket) else { return false }
            while write(portion, socket) {}
            return false
        case .silence: return true
        case .drop: return false
        }
    }

    private static func write(_ text: String, _ socket: Int32) -> Bool {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                sendto(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL), nil, 0)
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}

/// What a connection receives.
private struct HTTPInput {
    let socket: Int32
    private var buffer: [UInt8] = []

    init(socket: Int32) {
        self.socket = socket
    }

    private mutating func fill() -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = recv(socket, &chunk, chunk.count, 0)
        guard count > 0 else { return false }
        buffer += chunk[..<count]
        return true
    }

    mutating func bytes(_ count: Int) -> [UInt8]? {
        while buffer.count < count { guard fill() else { return nil } }
        defer { buffer.removeFirst(count) }
        return Array(buffer[..<count])
    }

    mutating func head(connection: Int) -> LocalHTTPServer.Request? {
        var end: Range<Int>?
        while end == nil {
            end = buffer.firstRange(of: Array("\r\n\r\n".utf8))
            if end == nil { guard fill() else { return nil } }
        }
        guard let end, let head = bytes(end.upperBound) else { return nil }
        let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
        let first = lines[0].split(separator: " ")
        let headers = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            let value = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
            return (parts[0].lowercased(), value)
        }
        return .init(
            method: String(first[0]), target: String(first[1]), headers: Dictionary(headers) { $1 },
            connection: connection)
    }
}
