import Configurations
import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// A home with inventories in it, and the tool run there as a process of its own.
struct ToolWorkshop {
    let directory: TemporaryDirectory
    let tool: Tool
    let inventory: Inventory

    init() throws {
        directory = try TemporaryDirectory()
        tool = try Tool()
        inventory = Inventory(
            keyFile: KeyFile(directory.path("config/strongroom/inventory.keys")),
            directory: directory.path("data/strongroom"))
    }

    var environment: [String: String] {
        ["XDG_DATA_HOME": directory.path("data"), "XDG_CONFIG_HOME": directory.path("config")]
    }

    var keyFile: String { inventory.keyFile.path }

    func path(_ name: String) -> String { directory.path("data/strongroom/\(name)") }

    /// Makes databases.
    func make(_ names: String...) async throws {
        for name in names { try await Stores(inventory).open(name).close() }
    }

    func run(_ arguments: String..., under prefix: [String] = []) async throws -> Tool.Outcome {
        try await tool.run(arguments, under: prefix, environment: environment)
    }
}
