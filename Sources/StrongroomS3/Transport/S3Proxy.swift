#if S3
internal import AsyncHTTPClient
internal import Foundation
internal import Strongroom

/// An HTTP proxy between this machine and a service.
///
/// The proxy is asked to connect to the service (`CONNECT`), so that TLS is between this machine and the service, and
/// the proxy sees neither requests nor answers; that of a service by `http://`, too, which many proxies refuse.
public struct S3Proxy: Sendable {
    /// Nil for that of the environment.
    private let url: String?

    /// The proxy that the environment names, as for other programs: `https_proxy` or `HTTPS_PROXY` for services by
    /// `https://`, `http_proxy` for those by `http://`, and none for hosts in `no_proxy` or `NO_PROXY`. That is a list
    /// with commas of hosts, of domains, whose hosts are meant, too, and of addresses; `*` stands for all. This machine
    /// itself (`localhost`, `127.0.0.1`, `::1`) is reached without a proxy.
    public static let environment = S3Proxy(url: nil)

    /// A proxy.
    ///
    /// - Parameter url: Its address, such as `http://proxy.example.com:3128`, with a user and a password before the
    ///   host if it asks for them: `http://user:password@proxy.example.com:3128`. The object store refuses an address
    ///   that is none with `invalidSetting`.
    public static func server(_ url: String) -> S3Proxy { S3Proxy(url: url) }

    private init(url: String?) {
        self.url = url
    }

    /// The proxy for a service; nil for none.
    func server(
        for service: String, in environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> HTTPClient.Configuration.Proxy? {
        if let url { return try Self.parsed(url, from: "The proxy") }
        guard let service = URLComponents(string: service), let host = service.host?.lowercased() else { return nil }
        // A server that runs CGI programs has HTTP_PROXY from its clients.
        let names = service.scheme?.lowercased() == "https" ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
        guard let name = names.first(where: { environment[$0]?.isEmpty == false }), let url = environment[name],
            !Self.isExempt(host, from: environment["no_proxy"] ?? environment["NO_PROXY"] ?? "")
        else { return nil }
        return try Self.parsed(url.contains("://") ? url : "http://" + url, from: "The environment variable \(name)")
    }

    private static func parsed(_ url: String, from source: String) throws -> HTTPClient.Configuration.Proxy {
        guard let parts = URLComponents(string: url), parts.scheme?.lowercased() == "http", let host = parts.host,
            !host.isEmpty, parts.hasUsablePort, ["", "/"].contains(parts.path), parts.query == nil
        else {
            throw StrongroomError(
                .invalidSetting,
                "\(source) is not the address of an HTTP proxy; write it as \"http://host:port\".")
        }
        let authorization = parts.user.map {
            HTTPClient.Authorization.basic(username: $0, password: parts.password ?? "")
        }
        return .server(host: bare(host), port: parts.port ?? 80, authorization: authorization)
    }

    /// Whether a host is reached without the environment's proxy.
    private static func isExempt(_ host: String, from list: String) -> Bool {
        let host = bare(host)
        if host.isLoopbackHost || host.hasSuffix(".localhost") { return true }
        return list.lowercased().split { $0 == "," || $0 == " " }.contains { entry in
            var entry = entry
            while entry.first == "." { entry.removeFirst() }
            return entry == "*" || host == bare(String(entry)) || host.hasSuffix("." + entry)
        }
    }

    /// An address without the brackets that IPv6 has in a URL.
    private static func bare(_ host: String) -> String { host.trimmingCharacters(in: ["[", "]"]) }
}

extension String {
    /// Whether a host is this machine.
    var isLoopbackHost: Bool {
        let parts = split(separator: ".", omittingEmptySubsequences: false)
        // A resolver takes a number that begins with 0 for an octal one.
        let isAddress = parts.count == 4 && parts.allSatisfy { part in UInt8(part).map { "\($0)" == part } ?? false }
        return self == "localhost" || self == "::1" || isAddress && parts[0] == "127"
    }
}

extension URLComponents {
    /// Whether the port, if there is one, can be one.
    var hasUsablePort: Bool { port.map { 1...65_535 ~= $0 } ?? true }
}

extension S3Proxy: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The type's name alone: an address may have a password.
    public var description: String { "S3Proxy" }

    /// The type's name alone.
    public var debugDescription: String { description }

    /// Empty, so that `dump` prints nothing.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
#endif
