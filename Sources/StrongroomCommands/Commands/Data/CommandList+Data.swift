import ArgumentParser

extension CommandList {
    /// Commands for the data in a database.
    static let data: [any ParsableCommand.Type] = [
        TablesCommand.self, SchemaCommand.self, QueryCommand.self, ShellCommand.self, ExportCommand.self,
        ImportCommand.self, BackupCommand.self, RestoreCommand.self,
    ]
}
