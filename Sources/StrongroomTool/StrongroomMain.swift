import Strongroom
import StrongroomCommands

@main
enum StrongroomMain {
    static func main() async {
        await StrongroomTool.run(.shared, version: "0.1.0", commands: [DemoCommand.self])
    }
}
