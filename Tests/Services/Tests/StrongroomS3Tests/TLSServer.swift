import Foundation
import NIO
import NIOHTTP1
import NIOSSL

/// Certificates of authorities of a test, made by the program openssl.
struct TestCertificates: Sendable {
    let directory: String

    /// An authority with a certificate for 127.0.0.1, one for another host, and one for a client; another authority
    /// with the same.
    init() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "strongroom-\(UUID().uuidString)")
        self.directory = directory.path(percentEncoded: false)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        for authority in ["ours", "other"] {
            try openssl("req", "-x509", "-subj", "/CN=\(authority)", "-days", "2", to: authority)
            for (name, host) in [("server", "IP:127.0.0.1"), ("elsewhere", "DNS:elsewhere"), ("client", "DNS:client")] {
                let (name, issuer) = ("\(authority)-\(name)", path(authority))
                try openssl(
                    "req", "-x509", "-subj", "/CN=\(name)", "-days", "2", "-addext", "subjectAltName=\(host)",
                    "-CA", issuer, "-CAkey", "\(issuer).key", to: name)
            }
        }
    }

    private func openssl(_ arguments: String..., to name: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            ["openssl"] + arguments + [
                "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "\(path(name)).key",
                "-out",
                path(name),
            ]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
    }

    /// The file of a certificate; that of its key has `.key` behind it.
    func path(_ name: String) -> String { "\(directory)/\(name)" }
}

/// A server with TLS on the loopback interface, which answers each request with `abc` and closes the connection.
final class TLSServer: Sendable {
    private let channel: any Channel
    private let context: Shared<NIOSSLContext>

    /// - Parameters:
    ///   - certificate: The name of its certificate.
    ///   - authority: The authority whose clients it accepts; nil for clients without a certificate.
    ///   - breaksTLS: Whether it answers with bytes that are no record of TLS.
    init(
        _ certificates: TestCertificates, _ certificate: String, clientsOf authority: String? = nil,
        breaksTLS: Bool = false
    ) throws {
        let context = Shared(try Self.context(certificates, certificate, authority))
        self.context = context
        channel = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let tls = NIOSSLServerHandler(context: context.withLock { $0 })
                    try channel.pipeline.syncOperations.addHandler(tls)
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Answers(breaksTLS))
                }
            }
            .bind(host: "127.0.0.1", port: 0).wait()
    }

    deinit {
        channel.close(promise: nil)
    }

    var endpoint: String { "https://127.0.0.1:\(channel.localAddress?.port ?? 0)" }

    /// Changes the certificate of further connections.
    func change(_ certificates: TestCertificates, to certificate: String) throws {
        let new = try Self.context(certificates, certificate, nil)
        context.withLock { $0 = new }
    }

    private static func context(
        _ certificates: TestCertificates, _ name: String, _ authority: String?
    ) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(certificates.path(name)).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: certificates.path(name) + ".key", format: .pem)))
        if let authority {
            configuration.certificateVerification = .noHostnameVerification
            configuration.trustRoots = .file(certificates.path(authority))
        }
        return try NIOSSLContext(configuration: configuration)
    }

    private final class Answers: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let breaksTLS: Bool

        init(_ breaksTLS: Bool) {
            self.breaksTLS = breaksTLS
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard case .end = unwrapInboundIn(data) else { return }
            if breaksTLS {
                let socket = try? context.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)
                socket?.writeAndFlush(NIOAny(ByteBuffer(repeating: 0x15, count: 64)), promise: nil)
                return
            }
            let head = HTTPResponseHead(
                version: .http1_1, status: .ok, headers: ["Content-Length": "3", "Connection": "close"])
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: "abc")))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
