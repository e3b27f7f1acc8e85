import ArgumentParser
import Strongroom

/// `keys fingerprints`: shows fingerprints of keys.
struct KeysFingerprintsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fingerprints",
        abstract: "Shows for each key of a file eight digits by which it can be told from others.",
        discussion: """
            The same key has the same digits everywhere, so two machines' files can be compared. They come of a slow \
            derivation and are too few to find a key by; still, do not publish those of a passphrase that others could \
            guess.
            """
    )

    private struct Answer: Encodable {
        struct Key: Encodable {
            let number: Int
            let fingerprint: String
            let isCurrent: Bool
        }

        let path: String
        let keys: [Key]
    }

    @OptionGroup var key: KeyFileArgument
    @OptionGroup var output: OutputOptions

    func run() throws {
        let fingerprints = try KeyFile(key.path).keyChain().fingerprints()
        let keys = fingerprints.enumerated().map { place, fingerprint in
            Answer.Key(number: place + 1, fingerprint: fingerprint, isCurrent: place == fingerprints.count - 1)
        }
        if output.json { return try output.write(Answer(path: key.path, keys: keys)) }
        var table = TextTable([.trailing("Key"), .leading("Fingerprint"), .leading("State")])
        for key in keys { table.append("\(key.number)", "\(key.fingerprint)", "\(key.isCurrent ? "current" : "")") }
        CommandSession.current.console.write(table)
    }
}
