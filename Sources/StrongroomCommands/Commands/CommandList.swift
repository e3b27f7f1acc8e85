import ArgumentParser

/// The commands of every tool.
enum CommandList {
    static let groups = [
        CommandGroup(name: "File", subcommands: upkeep),
        CommandGroup(name: "Data", subcommands: data),
        CommandGroup(name: "Replicas", subcommands: replicas),
    ].filter { !$0.subcommands.isEmpty }

    /// Commands for files, keys and schemas.
    private static let upkeep: [any ParsableCommand.Type] = [
        StatusCommand.self, DoctorCommand.self, RotateCommand.self, ConvertCommand.self, MigrateCommand.self,
        AdoptCommand.self, VerifyCommand.self, ReindexCommand.self, SalvageCommand.self, RecoverCommand.self,
        KeysCommand.self,
    ]

    static let discussion = """
        A database is given by its name, such as addressbook_alice.sqlite, whose configuration defines its path and \
        its keys; or by its file's path, which contains a "/" (./NAME for one in this directory), with \
        \(KeyOptions.list), or a typed key. A key is never an argument.

        Exit codes: 0 success; 1 the result is negative, data was lost, or some of several databases failed; 64 wrong \
        usage, also of SQL; 65 damaged, unexpected format, constraint violation, or a copy with a defect; 66 no such \
        file; 69 no SQLCipher; 70 an error in the program; 73 the output file exists; 74 an I/O error; 75 locked by \
        another process; 77 no permission; 78 wrong key or configuration; 130 interrupted by Ctrl-C, SIGTERM or \
        SIGHUP.
        """
}
