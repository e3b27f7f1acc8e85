import Foundation

/// Base64 (RFC 4648, section 4).
enum Base64 {
    /// The bytes that a text encodes; nil if it is invalid.
    static func bytes(_ text: String) -> [UInt8]? {
        Data(base64Encoded: text).map(Array.init)
    }

    static func text(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString()
    }
}
