import ArgumentParser
import Strongroom

/// `schema`: how the tables are made.
struct SchemaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Shows the schema as SQL, or as a diagram.",
        discussion:
            "The diagrams show the tables, their columns and the foreign keys; the same schema gives the same bytes."
    )

    @OptionGroup var database: OneDatabase
    @Argument(help: "The one table or view that is shown; a diagram always has all tables.")
    var table: String?
    @Flag(help: "A diagram for Mermaid.")
    var mermaid = false
    @Flag(help: "A diagram as SVG, for light and dark pages.")
    var svg = false
    @OptionGroup var form: OutputOptions

    func validate() throws {
        guard [mermaid, svg, form.json].count(where: { $0 }) < 2 else {
            throw ValidationError("Give one of --mermaid, --svg and --json.")
        }
        guard table == nil || !(mermaid || svg) else { throw ValidationError("A diagram always has all tables.") }
    }

    func run() async throws {
        let database = try database.resolve()
        let progress = CommandProgress("Reading", count: 1, isQuiet: form.json)
        defer { progress.finish() }
        let (entries, model) = try await Interruption.cancelling { [table] in
            try await progress.accompany {
                try await database.readOnly().using { store in
                    try await store.read { db in (try SchemaText.entries(of: table, in: db), try SchemaModel(in: db)) }
                }
            }
        }
        progress.finish()
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
            // Whoever reads has seen enough.
        }
    }
}
