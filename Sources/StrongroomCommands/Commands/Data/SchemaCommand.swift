import ArgumentParser
import Strongroom
import StrongroomTesting

/// `schema`: the definitions of the tables.
struct SchemaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Prints the schema as SQL or as a diagram, or compares it with a file.",
        discussion: """
            The diagrams show the tables, their columns and the foreign keys; the same schema gives the same bytes.

            With --check the schema is compared with a file that `schema` has printed, by meaning: whitespace, \
            quotation marks, the case of names and the order of columns make no difference. Each difference is \
            printed, with exit code 1. Full-text indexes are not compared, and of declared types, which SQLite reads \
            by their beginning, only those that say how the library stores a value. With --new it is the schema that \
            the configuration gives a new file; the database does not have to exist. So a repository keeps the schema \
            of a release, and its tests notice each change:

              strongroom schema addressbook.sqlite --new > schema.sql
              strongroom schema addressbook.sqlite --new --check schema.sql
            """
    )

    @OptionGroup var database: OneDatabase
    @Argument(help: "A single table or view; a diagram always contains all tables.")
    var table: String?
    @Flag(help: "A diagram for Mermaid.")
    var mermaid = false
    @Flag(help: "A diagram as SVG, for light and dark pages.")
    var svg = false
    @Option(help: ArgumentHelp("Compare with the SQL in this file; - for standard input.", valueName: "file"))
    var check: String?
    @Flag(help: "The schema of a new file of the configuration, instead of the database's.")
    var new = false
    @OptionGroup var form: OutputOptions

    func validate() throws {
        guard [mermaid, svg, form.json].count(where: { $0 }) < 2 else {
            throw ValidationError("Give one of --mermaid, --svg and --json.")
        }
        guard table == nil || !(mermaid || svg) else { throw ValidationError("A diagram always contains all tables.") }
        guard check == nil || !(mermaid || svg) && table == nil else {
            throw ValidationError("--check compares all tables, and prints no diagram.")
        }
        guard check != "-" || !database.keys.keyStdin else {
            throw ValidationError("Standard input cannot contain both the keys and the schema.")
        }
    }

    func run() async throws {
        let database = try resolve()
        let progress = CommandProgress("Reading", count: 1, isQuiet: form.json)
        defer { progress.finish() }
        if let check { return try await compare(database, with: check, progress) }
        let (entries, model) = try await Interruption.cancelling { [table] in
            try await progress.accompany {
                try await database.using(creating: new) { store in
                    try await store.read { db in (try SchemaText.entries(of: table, in: db), try SchemaModel(in: db)) }
                }
            }
        }
        progress.finish()
        try show(entries, model)
    }

    private func resolve() throws -> OperatedDatabase {
        guard new else { return try database.resolve().readOnly() }
        let found = try OperatedDatabase(database.database, path: database.path, keys: .plaintext)
        guard found.isConfigured else {
            throw CommandFailure(
                "noConfiguration", "Only a configuration has tables for a new file: give a database's name, no path.",
                .configuration)
        }
        guard try found.configuration.migrator(for: found.name) != nil else {
            throw CommandFailure(
                "noMigrator", "The configuration of \"\(found.name)\" gives no migrator, so a new file has no tables.",
                .configuration)
        }
        return found.inMemory(migrating: true)
    }

    private func show(_ entries: [SchemaText.Entry], _ model: SchemaModel) throws {
        do {
            let console = CommandSession.current.console
            if form.json {
                try form.write(entries)
            } else if mermaid {
                try console.write(lines: SchemaMermaid.text(model))
            } else if svg {
                try console.write(lines: SchemaSVG.text(model))
            } else {
                try console.write(lines: SchemaText.sql(entries))
            }
        } catch is OutputClosed {
            // The reader has closed the output.
        }
    }

    private func compare(_ database: OperatedDatabase, with file: String, _ progress: CommandProgress) async throws {
        let differences = try await Interruption.cancelling {
            try await progress.accompany {
                let statements = try SchemaText.statements(of: file)
                let expected = try await database.inMemory(migrating: false).using(creating: true) { store in
                    try await store.write { db in try SchemaText.schema(of: statements, from: file, in: db) }
                }
                let found = try await database.using(creating: new) { store in
                    try await store.read { db in try SchemaDescription(in: db, withUpkeep: false) }
                }
                return found.differences(
                    from: expected, here: new ? "a new file" : "the database", there: "\"\(file)\"")
            }
        }
        progress.finish()
        if form.json {
            try form.write(["differences": differences])
        } else if differences.isEmpty {
            CommandSession.current.console.write("The schema is that of \"\(file)\".")
        } else {
            for difference in differences { CommandSession.current.console.write("\(difference)") }
        }
        guard differences.isEmpty else {
            throw CommandFailure(
                "schemaDiffers", "The schema has \(HumanReadable.count(differences.count, "difference")).", .failure)
        }
    }
}
