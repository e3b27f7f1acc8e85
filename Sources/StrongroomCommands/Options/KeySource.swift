package import Strongroom

/// The source of a command's keys; never its arguments, which other users of the machine can read.
package enum KeySource: Equatable, Sendable {
    /// A file in the format of ``KeyFile``.
    case file(String)
    /// A secret that a platform mounts, by its name in `$CREDENTIALS_DIRECTORY`.
    case credential(String)
    /// An environment variable.
    case environment(String)
    /// Standard input, to its end.
    case standardInput
    /// One line, typed without echo, with the prompt.
    case prompt(String)
    /// Like ``prompt(_:)``, but asked twice, to detect typing errors in a new key.
    case newPrompt(String)

    /// Reads the keys.
    ///
    /// - Throws: ``CommandFailure`` with `noKey` if there is no terminal, with `keysDiffer` if the two lines differ;
    ///   ``StrongroomError`` as ``KeyFile`` and ``KeyChain``.
    package func keyChain() throws -> KeyChain {
        let input = CommandSession.current.input
        switch self {
        case .file(let path): return try KeyFile(FilePath.absolute(path)).keyChain()
        case .credential(let name): return try KeyFile(credential: name).keyChain()
        case .environment(let name):
            return try Self.chain(ofVariable: name)
        case .standardInput:
            return try Self.chain("Standard input", input.all(KeyChain.largestText + 1))
        case .prompt(let text):
            guard var line = try input.line(text) else { throw Self.noKey }
            defer { Self.wipe(&line) }
            if let share = try KeyChain.share(in: line) { return try Self.chain(of: share, input) }
            return try KeyChain(text: line, source: "What was typed")
        case .newPrompt(let text): return try Self.chain("What was typed", Self.twice(text, input))
        }
    }

    /// The options that take a variable.
    private static let variableOptions = [
        KeySourceOptions<OwnKeys>.environmentName, KeySourceOptions<NewKey>.environmentName,
        KeySourceOptions<BackupKeys>.environmentName,
    ]

    /// Reads and erases the variables that the options of a command line specify.
    ///
    /// Call it before anything else in the process reads the environment: Foundation creates strings of all variables,
    /// which cannot be wiped. A variable that cannot be used is left for the command to report.
    static func removeVariables(of arguments: [String]) {
        for (position, argument) in arguments.enumerated() {
            for option in variableOptions {
                var name: String?
                if argument == option {
                    name = arguments.dropFirst(position + 1).first
                } else if argument.hasPrefix("\(option)=") {
                    name = String(argument.dropFirst(option.count + 1))
                }
                if let name { _ = try? chain(ofVariable: name) }
            }
        }
    }

    /// The chains of the erased variables, for the options that specify them.
    private static let erased = Locked<[String: KeyChain]>([:])

    /// Reads a variable, and erases it from the process's environment, which child processes inherit.
    private static func chain(ofVariable name: String) throws -> KeyChain {
        if !EnvironmentVariable.isSet(name), let chain = erased.withLock({ $0[name] }) { return chain }
        let chain = try KeyChain(environment: name)
        EnvironmentVariable.erase(name)
        erased.withLock { $0[name] = chain }
        return chain
    }

    /// The recovery key of a share, the others of which are typed, until there are enough or a line is empty.
    private static func chain(of first: RecoveryShare, _ input: KeyInput) throws -> KeyChain {
        var shares = [first]
        while shares.count < first.threshold {
            let prompt = "Share \(shares.count + 1) of \(first.threshold) of the recovery key"
            guard var line = try input.line(prompt), !line.isEmpty else { break }
            defer { wipe(&line) }
            do {
                let share = try KeyChain.share(in: line) ?? RecoveryShare(String(decoding: line, as: UTF8.self))
                try RecoveryShare.requireDistinct(shares + [share])
                shares.append(share)
            } catch let error as StrongroomError {
                // Those that were typed before stay.
                CommandSession.current.console.write("\(error.message)", to: .errors)
            }
        }
        return try KeyChain(.recovery(RecoveryKey(shares: shares)))
    }

    /// A line that was typed twice.
    private static func twice(_ prompt: String, _ input: KeyInput) throws -> [UInt8] {
        guard var first = try input.line(prompt) else { throw noKey }
        var isMeant = false
        defer {
            if !isMeant { wipe(&first) }
        }
        guard var second = try input.line("\(prompt), again") else { throw noKey }
        defer { wipe(&second) }
        guard first == second else {
            throw CommandFailure(
                "keysDiffer", "The two typed keys differ, and nothing was changed. Try again.",
                .configuration)
        }
        isMeant = true
        return first
    }

    private static func wipe(_ bytes: inout [UInt8]) {
        for index in bytes.indices { bytes[index] = 0 }
    }

    private static func chain(_ source: String, _ text: consuming [UInt8]) throws -> KeyChain {
        var text = text
        defer { for index in text.indices { text[index] = 0 } }
        return try KeyChain(text: text, source: source)
    }

    private static let noKey = CommandFailure(
        "noKey",
        "There is no configuration and no terminal to ask for the key. Give \(KeyOptions.list).",
        .configuration)
}
