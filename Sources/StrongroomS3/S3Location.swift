#if S3
internal import Foundation
internal import Strongroom

/// Where the objects are: a bucket of a service, and what stands before every name in it.
struct S3Location: Sendable {
    let bucket: String
    /// What stands before every name, empty or with `/` at its end.
    let prefix: String
    /// The scheme, host and port of the endpoint, for messages.
    let endpoint: String
    /// The value of the header `Host`.
    let host: String
    /// The URL's beginning: scheme, host and port.
    let origin: String
    /// The percent-encoded path of the bucket, with `/` at its end.
    private let root: String

    init(bucket: String, endpoint: String, addressing: S3ObjectStore.Addressing, prefix: String) throws {
        guard let parts = URLComponents(string: endpoint), let scheme = parts.scheme?.lowercased(),
            ["http", "https"].contains(scheme), let name = parts.encodedHost?.lowercased(), !name.isEmpty,
            parts.hasUsablePort,
            parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil
        else {
            throw StrongroomError(
                .invalidSetting,
                """
                The endpoint is not the address of an S3 service; write it as "https://host" or "http://host:port", \
                without a user, a query or a fragment.
                """)
        }
        try Self.check(bucket, addressing)
        let standard = scheme == "https" ? 443 : 80
        let port = parts.port.flatMap { $0 == standard ? nil : ":\($0)" } ?? ""
        let server = addressing == .virtualHost ? "\(bucket).\(name)" : name
        var root = parts.percentEncodedPath
        while root.hasSuffix("/") { root.removeLast() }
        self.bucket = bucket
        self.endpoint = "\(scheme)://\(name)\(port)"
        self.host = server + port
        self.origin = "\(scheme)://\(server)\(port)"
        self.root = addressing == .virtualHost ? root + "/" : "\(root)/\(S3Text.encoded(bucket))/"
        let folders = prefix.split(separator: "/").joined(separator: "/")
        self.prefix = folders.isEmpty ? "" : folders + "/"
        if !self.prefix.isEmpty { _ = try key(folders, after: "") }
    }

    private static func check(_ bucket: String, _ addressing: S3ObjectStore.Addressing) throws {
        let isPlain = bucket.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == ".") }
        guard !bucket.isEmpty, !bucket.contains("/"), ![".", ".."].contains(bucket),
            isPlain || addressing == .path
        else {
            throw StrongroomError(
                .invalidName,
                """
                The bucket's name "\(bucket)" cannot be used; with virtual-host addressing it may have only letters, \
                digits, "-" and ".".
                """)
        }
    }

    /// The key of an object.
    ///
    /// - Throws: `StrongroomError` with `invalidName` if the name has an empty part, or one that HTTP clients remove
    ///   from paths.
    func key(_ name: String) throws -> String { try key(name, after: prefix) }

    private func key(_ name: String, after prefix: String) throws -> String {
        let key = prefix + name
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }), key.utf8.count <= 1024,
            !name.utf8.contains(0)
        else {
            throw StrongroomError(
                .invalidName,
                """
                "\(name)" cannot be the name of an object: a name has at most 1024 bytes with the prefix, and none of \
                its parts is empty, "." or "..".
                """)
        }
        return key
    }

    /// The key's beginning that all objects of a folder have.
    func prefix(ofFolder folder: String) throws -> String { folder.isEmpty ? prefix : try key(folder) + "/" }

    /// The percent-encoded path of a request.
    func path(_ request: S3Request) -> String {
        guard let key = request.key else { return root.count > 1 ? String(root.dropLast()) : root }
        return root + S3Text.encoded(key, keepsSlash: true)
    }

    /// The URL of a request.
    func url(_ request: S3Request) -> String {
        let query = request.encodedQuery
        return origin + path(request) + (query.isEmpty ? "" : "?" + query)
    }
}

extension S3Location: CustomStringConvertible {
    /// The bucket and the service, for messages.
    var description: String { "the bucket \"\(bucket)\" at \(endpoint)" }
}

extension URLComponents {
    /// The host as it stands in a URL, an IPv6 address in brackets.
    fileprivate var encodedHost: String? {
        guard let host = percentEncodedHost, host.contains(":"), !host.hasPrefix("[") else { return percentEncodedHost }
        return "[\(host)]"
    }
}
#endif
