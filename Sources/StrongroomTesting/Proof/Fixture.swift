import Foundation

/// The directory of fixture files.
struct FixtureDirectory: Sendable {
    let path: String
    /// As given by the test, or the default.
    let name: String
    /// Whether the test specified the directory.
    let isNamed: Bool

    /// - Parameters:
    ///   - wanted: The directory that the test specified, relative to the directory of its source; nil for
    ///     `Fixtures/TARGET`.
    ///   - target: The configuration's target.
    ///   - source: The test's source.
    init(_ wanted: String?, target: String, source: String) {
        isNamed = wanted != nil
        name = wanted ?? "Fixtures/\(target)"
        let directory = source.lastIndex(of: "/").map { source[..<$0] } ?? "."
        path = name.hasPrefix("/") ? name : "\(directory)/\(name)"
    }
}

/// A file of a released version, kept with the tests.
struct Fixture {
    let path: String
    let name: String

    /// The major version of the SQLCipher that wrote the file, from its name; nil if the name does not contain it.
    var cipher: Int? {
        let parts = name.split(separator: ".")
        guard parts.count >= 3, parts[parts.count - 2].hasPrefix("cipher") else { return nil }
        return Int(parts[parts.count - 2].dropFirst("cipher".count))
    }

    /// The version, from the file's name.
    var version: String {
        let suffix = cipher.map { ".cipher\($0).sqlite" } ?? ".sqlite"
        let plain = String(name.dropLast(suffix.count))
        return plain.removingPercentEncoding ?? plain
    }

    /// The file name for a version; characters that a file name must not contain are percent-encoded.
    static func name(version: String, cipher: Int) -> String {
        let plain = version.utf8.map { byte in
            let isPlain = byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
            let isAlphanumeric =
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            return isPlain || isAlphanumeric
                ? String(UnicodeScalar(byte)) : "%\(String(byte, radix: 16, uppercase: true))"
        }
        return "\(plain.joined()).cipher\(cipher).sqlite"
    }

    /// The files of a directory, sorted by name.
    static func all(in directory: String) throws -> [Fixture] {
        try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
            .filter { $0.hasSuffix(".sqlite") && !$0.hasPrefix(".") }
            .map { Fixture(path: "\(directory)/\($0)", name: $0) }
    }
}
