import ArgumentParser
import Strongroom

/// `keys add`: gives a key a slot.
struct KeysAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Gives a further key a slot, so that it opens the database, too.",
        discussion: """
            The key is the last one of \(KeySourceOptions<NewKey>.names.alternatives), or is typed, twice. Only the \
            envelope is written; programs that have the database open continue.

            --public-key gives the pair of a public key a slot for recovery, without the private key: make the pair on \
            another machine, with `openssl genpkey -algorithm X25519` and `openssl pkey -pubout`. There the private \
            key is a key file, mode 0600.

            If the keys of the database are lost, a recovery key gives a new key a slot: put the recovery key in a \
            line of the file of --key-file, or type it at the prompt for the file's key.
            """
    )

    @OptionGroup var database: OneDatabase
    @OptionGroup var newKey: KeySourceOptions<NewKey>
    @Option(help: ArgumentHelp("Take the new key, a public one, from a PEM file.", valueName: "file"))
    var publicKey: String?
    @Option(help: ArgumentHelp("The slot's label, which can be read without a key.", valueName: "text"))
    var label = ""
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard publicKey == nil || newKey.source == nil else {
            throw ValidationError("Give --public-key alone, or one of \(KeySourceOptions<NewKey>.names.alternatives).")
        }
    }

    func run() async throws {
        let database = try database.resolve()
        let source = newKey.source ?? .newPrompt("New key of \(self.database.database)")
        let publicKey = try publicKey.map { try Key.publicKey(file: FilePath.absolute($0)) }
        guard let key = try publicKey ?? source.keyChain().current else {
            throw CommandFailure("noKey", "There is no key to add.", .configuration)
        }
        let slot = try await Interruption.cancelling { [label] in
            try await database.using { try await $0.addKey(key, label: label) }
        }
        try output.write(SlotDetail(slot), as: "Added the slot")
    }
}

/// `keys label`: names a slot.
struct KeysLabelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "label",
        abstract: "Gives a slot another label, which can be read without a key.",
        discussion: """
            The label is authenticated with the slot's key, which has to be among the keys of the database: `keys \
            slots` shows its number. Give another one with \(KeyOptions.list).
            """
    )

    @OptionGroup var database: OneDatabase
    @OptionGroup var slot: SlotArgument
    @Argument(help: "The label: at most 255 bytes.")
    var label: String
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let (database, fingerprint) = (try database.resolve(), try slot.fingerprint)
        let slot = try await Interruption.cancelling { [label] in
            try await database.using { try await $0.labelKey(fingerprint, label) }
        }
        try output.write(SlotDetail(slot), as: "Labelled the slot")
    }
}

/// `keys revoke`: removes a slot.
struct KeysRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Removes a slot, so that its key no longer opens the database.",
        discussion: """
            Only the envelope is written. Copies of it from before, such as those of backups, still open with the \
            key; if its owner may have read the database's data key, replace that, too (`Store.rotate` with \
            `dataKey`). The last slot of a key chain is not removed.
            """
    )

    @OptionGroup var database: OneDatabase
    @OptionGroup var slot: SlotArgument
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let (database, fingerprint) = (try database.resolve(), try slot.fingerprint)
        let slot = try await Interruption.cancelling {
            try await database.using { store in
                let slot = try await store.keySlots().first { $0.fingerprint == fingerprint }
                try await store.revokeKey(fingerprint)
                return slot
            }
        }
        if let slot { try output.write(SlotDetail(slot), as: "Revoked the slot") }
    }
}

/// `keys recovery`: makes a recovery key.
struct KeysRecoveryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recovery",
        abstract: "Creates a recovery key, gives it a slot, and prints it: once, since it is kept nowhere.",
        discussion: """
            It opens the database and its later backups if all other keys are lost. To use it, put it in a line of a \
            key file, or type it at the prompt for a file's key: `keys add FILE` then gives a new key a slot, \
            and `restore` restores a backup.

            --shares 3/5 prints five shares for five holders instead, of which any three restore the key: put them in \
            lines of a key file, or type them one after the other. Fewer tell nothing about the key.
            """
    )

    @OptionGroup var database: OneDatabase
    @Option(help: ArgumentHelp("The slot's label, such as where the key is kept.", valueName: "text"))
    var label = "recovery key"
    @Option(help: ArgumentHelp("Print shares, of which so many restore the key: 2/3 to 16/16.", valueName: "k/n"))
    var shares: ShareCount?
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !output.quiet || output.json else {
            throw ValidationError("The recovery key would not be printed: give --json with --quiet.")
        }
    }

    func run() async throws {
        let database = try database.resolve()
        let detail = try await Interruption.cancelling { [label, shares] in
            try await database.using { store in
                let (slot, key) = try await store.recoverySlot(label: label)
                var detail = SlotDetail(slot)
                if let shares {
                    detail.recoveryShares = try key.shares(threshold: shares.threshold, of: shares.count).map(\.text)
                } else {
                    detail.recoveryKey = key.text
                }
                return detail
            }
        }
        try output.write(detail, as: "Added the slot", threshold: shares?.threshold)
    }
}

/// How many shares a recovery key has, and how many of them restore it: "3/5".
struct ShareCount: ExpressibleByArgument {
    let threshold: Int
    let count: Int

    init?(argument: String) {
        let numbers = argument.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count == 2, let threshold = numbers[0], let count = numbers[1],
            (2...16).contains(count), (2...count).contains(threshold)
        else { return nil }
        (self.threshold, self.count) = (threshold, count)
    }
}

extension OutputOptions {
    /// Writes the slot that was changed, with its new recovery key or its shares.
    ///
    /// - Parameter threshold: The number of shares that restore the key.
    fileprivate func write(_ slot: SlotDetail, as title: String, threshold: Int? = nil) throws {
        let console = CommandSession.current.console
        if json { try write(slot) } else { show(slot, as: title, threshold, on: console) }
        // Unlike other output, the key cannot be had again.
        guard slot.recoveryKey != nil || slot.recoveryShares != nil, console.failure(of: .output) != nil else { return }
        throw CommandFailure(
            "inputOutput",
            """
            The recovery key could not be written, and it is kept nowhere. Revoke its slot, \(slot.title), with `keys \
            revoke`, then create another one.
            """,
            .inputOutput)
    }

    private func show(_ slot: SlotDetail, as title: String, _ threshold: Int?, on console: Console) {
        console.write("\(title) \(slot.title).")
        let texts = slot.recoveryKey.map { [$0] } ?? slot.recoveryShares ?? []
        guard !texts.isEmpty else { return }
        console.write("")
        for text in texts { console.write("  \(text, .bold)") }
        console.write("")
        let advice =
            threshold.map {
                """
                Any \($0) of these \(texts.count) shares restore the recovery key; fewer tell nothing about it. Give \
                each to another holder, written down. They are not shown again.
                """
            } ?? "Write the recovery key down and keep it elsewhere. It is not shown again."
        console.write(lead: "", paragraph: "\(advice)")
    }
}
