import Configurations
import Strongroom
import StrongroomCommands

@main
enum StrongroomMain {
    /// The package's version: that of the first heading of CHANGELOG.md.
    static let version = "0.3.0"

    static func main() async {
        await StrongroomTool.run(try stores, version: version, commands: [DemoCommand.self, FailoverCommand.self])
    }

    /// Without the macros nothing is discovered.
    private static var stores: Stores {
        get throws {
            #if Macros
            return .shared
            #else
            return try Stores(AddressBook(), Inventory())
            #endif
        }
    }
}
