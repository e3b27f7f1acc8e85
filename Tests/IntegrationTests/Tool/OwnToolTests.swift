#if Macros
import Foundation
import Testing

@Suite(.enabled(if: SwiftCompiler.path != nil, "there is no swiftc, or the trait ConfigReader is on"))
struct OwnToolTests {
    private static let article = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Sources/Strongroom/Strongroom.docc/OperatingManyDatabases.md")

    @Test func theToolOfTheGuideCompiles() async throws {
        let text = try String(contentsOf: Self.article, encoding: .utf8)
        let block = try #require(text.firstMatch(of: /```swift\n((?:.|\n)*?)```/)).1
        let configuration = """
            struct AddressBook: Configuration {
                static let target = "addressbook"
                func keyChain(for database: DatabaseName) throws -> KeyChain { try KeyChain(.random()) }
            }
            """
        let answer = try await SwiftCompiler().compile("\(block)\n\(configuration)\n")
        #expect(answer.errors.isEmpty && answer.status == 0, "\(answer.output)")
    }
}
#endif
