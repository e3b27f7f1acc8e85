import ArgumentParser
import Strongroom

/// `keys slots`: lists the slots of an envelope.
struct KeysSlotsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "slots",
        abstract: "Lists the slots of a database with an envelope: each key that has one opens the database.",
        discussion: """
            The column Key names the key of the chain that has the slot, from 1 for the oldest. A slot of unknown kind \
            is one that only a newer version can use; it is kept until it is revoked. For an external key the column \
            Provider has the identifier of the provider and its key. A slot of kind public is opened by the private \
            key of a pair; --json has the public key.
            """
    )

    private struct Answer: Encodable {
        let path: String
        let slots: [SlotDetail]
    }

    @OptionGroup var database: OneDatabase
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let database = try database.resolve()
        let slots = try await Interruption.cancelling {
            try await database.readOnlyIfItMust().using { store in
                try await store.keySlotsWithKeys().map { SlotDetail($0.slot, key: $0.key) }
            }
        }
        if output.json { return try output.write(Answer(path: database.path, slots: slots)) }
        CommandSession.current.console.write(table(slots))
    }
}

extension KeysSlotsCommand {
    /// A line for each slot, with the providers if there are any.
    private func table(_ slots: [SlotDetail]) -> TextTable {
        let hasProviders = slots.contains { $0.external != nil }
        var table = TextTable(
            [.leading("Slot"), .leading("Created"), .leading("Kind"), .leading("Key")]
                + (hasProviders ? [.leading("Provider")] : []) + [.leading("Label", isFlexible: true)])
        for slot in slots {
            let provider = hasProviders ? [slot.external ?? ""] : []
            let cells =
                [slot.fingerprint, slot.created, slot.kind, slot.key.map(String.init) ?? ""] + provider + [slot.label]
            table.append(row: cells.map { "\($0)" })
        }
        return table
    }
}

/// The slot argument.
struct SlotArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("The slot, as `keys slots` lists it: 16 hexadecimal digits.", valueName: "slot"))
    var slot: String

    func validate() throws {
        guard KeyFingerprint(slot) != nil else { throw ValidationError("A slot has 16 hexadecimal digits.") }
    }

    /// The fingerprint.
    var fingerprint: KeyFingerprint {
        get throws {
            guard let fingerprint = KeyFingerprint(slot) else {
                throw ValidationError("A slot has 16 hexadecimal digits.")
            }
            return fingerprint
        }
    }
}
