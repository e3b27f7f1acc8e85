import Strongroom
import StrongroomCommands

@main
enum StrongroomMain {
    /// The package's version: that of the first heading of CHANGELOG.md.
    static let version = "0.3.0"

    static func main() async {
        await StrongroomTool.run(.shared, version: version, commands: [DemoCommand.self, FailoverCommand.self])
    }
}
