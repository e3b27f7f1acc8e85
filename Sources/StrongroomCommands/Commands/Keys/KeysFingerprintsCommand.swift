import ArgumentParser
import Strongroom

/// `keys fingerprints`: shows fingerprints of keys.
struct KeysFingerprintsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fingerprints",
        abstract: "Prints a fingerprint of eight digits for each key of a file.",
        discussion: """
            The same key has the same fingerprint everywhere, so the files of two machines can be compared. \
            Fingerprints are computed with a slow key derivation and are too short to determine a key; still, do not \
            publish those of a passphrase that could be guessed.
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
        let keys = fingerprints.enumerated().map { index, fingerprint in
            Answer.Key(number: index + 1, fingerprint: fingerprint, isCurrent: index == fingerprints.count - 1)
        }
        if output.json { return try output.write(Answer(path: key.path, keys: keys)) }
        var table = TextTable([.trailing("Key"), .leading("Fingerprint"), .leading("State")])
        for key in keys { table.append("\(key.number)", "\(key.fingerprint)", "\(key.isCurrent ? "current" : "")") }
        CommandSession.current.console.write(table)
    }
}
