import Baseline
import Foundation
import Strongroom
import TestData

/// The least time that a work can take, with everything free but what the encryption, or the disk, needs for it.
enum MachineLimit {
    private struct Failure: Error {
        let result: Int32
    }

    /// What happens to each page of a file.
    enum Pages {
        /// Each is read: checked and deciphered.
        case read
        /// Each is made: enciphered and signed.
        case made
        /// Each is changed: read and made.
        case changed

        fileprivate var cipher: baseline_cipher {
            switch self {
            case .read: baseline_cipher_decipher
            case .made: baseline_cipher_encipher
            case .changed: baseline_cipher_both
            }
        }
    }

    /// Each page of a file, once.
    ///
    /// - Parameter threads: The processors that the work may use.
    static func pages(_ pages: Pages, of path: String, threads: Int = 1) throws -> Duration {
        let settings = try CipherSettings.engineDefault()
        let length: Int32 = settings.pageHash == .sha512 ? 64 : 20
        return try measure {
            baseline_hash(
                path, Int32(settings.pageSize), settings.pageHash.rawValue, length, Int32(threads), pages.cipher)
        }
    }

    /// The derivation of the passphrase.
    static func derivation() throws -> Duration {
        let settings = try CipherSettings.engineDefault()
        return try measure {
            baseline_derive(TestData.passphrase, settings.derivationHash.rawValue, Int32(settings.iterations))
        }
    }

    /// Commits that follow each other, each of one page that takes the place of the one before.
    static func commits(_ count: Int, in directory: URL) throws -> Duration {
        let path = directory.appending(path: "synchronized").path(percentEncoded: false)
        let bytes = try CipherSettings.engineDefault().pageSize
        return try measure { baseline_synchronize(path, Int32(bytes), Int32(count)) }
    }

    private static func measure(_ body: () throws -> Int32) throws -> Duration {
        try ContinuousClock().measure {
            let result = try body()
            guard result == 0 else { throw Failure(result: result) }
        }
    }
}
