import Configurations
import Strongroom
import StrongroomCommands

@main
enum Main {
    static func main() async {
        await StrongroomTool.run(try Stores(AddressBook()), name: "addressbook-tool")
    }
}
