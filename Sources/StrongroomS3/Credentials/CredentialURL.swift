#if S3
internal import Foundation
internal import Strongroom

/// The URL of an endpoint that gives credentials.
struct CredentialURL {
    let text: String
    /// The scheme, host and port, for messages.
    let origin: String
    /// In lowercase, without the brackets of an IPv6 address.
    let host: String
    let isEncrypted: Bool

    /// - Parameters:
    ///   - text: The URL.
    ///   - name: The variable that has it.
    /// - Throws: `StrongroomError` with `invalidSetting`, without the URL, which may contain a secret.
    init(_ text: String, _ name: String) throws {
        guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
            ["http", "https"].contains(scheme), let host = parts.encodedHost?.lowercased(), !host.isEmpty,
            parts.user == nil, parts.password == nil, parts.fragment == nil, parts.hasUsablePort
        else {
            throw StrongroomError(
                .invalidSetting, "\(name) is not the address of a service; write it as \"http://host:port/path\".")
        }
        self.text = parts.string ?? text
        origin = "\(scheme)://\(host)\(parts.port.map { ":\($0)" } ?? "")"
        self.host = host.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        isEncrypted = scheme == "https"
    }

    var withoutSlash: String { text.hasSuffix("/") ? String(text.dropLast()) : text }

    var isLoopback: Bool { host.isLoopbackHost }
}
#endif
