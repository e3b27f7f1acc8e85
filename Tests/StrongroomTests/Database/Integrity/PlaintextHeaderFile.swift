import Foundation
// Internal: pages as they are below the encryption.
@testable import Strongroom
import StrongroomTesting

/// Files that begin like a plaintext database, whether they are one or not.
enum PlaintextHeaderFile {
    /// What the shell of SQLCipher 4.6.1 made with `cipher_page_size = 1024`, `cipher_plaintext_header_size = 32` and
    /// a salt of its own: one page with one view.
    static let made = Data(
        base64Encoded: """
            U1FMaXRlIGZvcm1hdCAzAAQAAQFQQCAgAAAAAQAAAAH8wtN2UpWjFLvHgdwBPwMYzFIwKUGSMxIeBrGf1F4a58H0aMO6iS0mJndEcl92\
            q9Ic6WcetMxV1imRsjBTxiKU/fAiwRB2sfjREo0Dr57KSg2J8kFWSgaAt6j2fMuFIORPhWtD8Zb4sA0Mof3n5YbCBJeVKvJTPibNMoCl\
            2dftXZRnLoNmcYWP9dV/+SOybtEInAvoVE3unJT58LFl8cH32V1yYlnTCjJ3VYFQaHj0Nbgrxq+kN4TwD1WKfo6KPQ8f5jpfIvmvJHP0\
            Vnn7J7FGsffIpQhg6n16hlFy9H0FMz4SQZBgAd5twwqjKqhb55e4W4VzvL3ydHF4ob/DkrXqRX+CW5kOsP0XjsbsfcKSk8I60r1L44Wc\
            Usfs0PHWxeBHvXImthV6TMNqZuB/xcOXNdozXZi1SyjpgwQgLVk5uBwsmianS9SLD8LrtlpskuemCAfPjcx/bOIh/8vJzeiV914DWz/c\
            MgaA435mlGEmximtihdHkfOz4EeBlEYe8LmN2mQEBaryXk264pX/TVLDQdKH4U2YsqjRwaoeWNLjQNaz/19lgelBhDMjtSIz7idZWrNS\
            AP/GWIBZsp6gEZ9CFkKTCeOYJqvIlFFyslC8orIokMdTtfRA/hNPCRbKO4NOuYOitDsQ7RijQVuetnbeyeqgv4H88J1RASZO4xQBxfGw\
            td8sefsN7XWkmg7n1SgKgLI9py8sLMbPvVt+8PQOocv+pQQjwl0TgDspPATl3x/5q3lwxQRX/CTikYXSBjXx3D+5OAz64MHinhb+Ovjd\
            4NyMvzQVvjT2RTmwCfA1o0CvZgxtfR5euLQLKsktr3fXwoUdVZ1hD1Ze+KMAB9gfJS6vG0RhSoWVRzkB+ePPzRA6p/2T3GqIDm/dVWvw\
            LfdNKxgqMY1vGknKt/E7hZrLsAnyysHbRAFKOi9/LZhZ90Ve6UjKrfghFEDsPPdlxvWuJVFlOZkwdEdyu3JofGER66mWaguI5cuViJ77\
            8E4z1FFqUyPomE71lFA3hJ8T3ZJqqASiyondsGzoKyZV55Z36kY4ATjlU5V6klVh7B6TGlIUbkxH7pXYtRNoxWnN+/AMyxAkWcKbuaXs\
            OZBnIU0L4DJFNBLdroRXUyhp8a82c7s6NMqT/B7a5mk7UWiohp/TTlU5XA87ZGKwfg0Gq+9NNFA3cg84u6RtEn0F4ME/YGs+qhA8cLl9\
            mrXB+PxDy+klWWmsixSOKhuvgGsk1J6VsWV+9cSsoRDiTGrV0L8UXxjJiDW/gHj9ZtjATAyGrLN9mdHqJHLreNaCGntw3gDeC31ANufG\
            EzZRFC5HTVRMsg==
            """)

    /// The pages of an encrypted file as they are below the encryption, each with what the engine keeps at its end.
    ///
    /// - Parameters:
    ///   - path: The file, which nobody has open.
    ///   - key: Its key.
    static func pages(of path: String, _ key: Key, _ settings: CipherSettings) throws -> [[UInt8]] {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        let derived = try DerivedKey(key, salt: Array(bytes.prefix(CipherSettings.saltLength)), settings: settings)
        let file = DatabaseFile(path: path, name: "source", busyTimeout: 0, log: nil)
        let connection = try file.connect(.untouched, key: nil)
        defer { connection.close() }
        let count = bytes.count / settings.pageSize
        let contents = PageContents(
            pages: DatabasePages(closed: try connection.databaseFile(), pageSize: settings.pageSize, count: count),
            cipher: try PageCipher(derived))
        return try (1...count).map { number in
            let content = try contents.content(of: number) ?? .none
            let page = bytes[(number - 1) * settings.pageSize..<number * settings.pageSize]
            return Array(content) + page.suffix(settings.pageSize - content.count)
        }
    }

    /// The file as SQLCipher 4 would have it with a plaintext header: what follows it is random.
    static func encrypted(_ pages: [[UInt8]], header: Int, using generator: inout SeededGenerator) -> Data {
        var file = Data()
        for (number, page) in pages.enumerated() {
            let kept = number == 0 ? header : 0
            file += page.prefix(kept)
            file += (kept..<page.count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        }
        return file
    }
}
