import StrongroomCommands
import Testing

struct ExitStatusTests {
    @Test("The numbers that scripts rely on do not change")
    func numbers() {
        let numbers = ExitStatus.allCases.map { "\($0) \($0.rawValue)" }
        #expect(
            numbers == [
                "success 0", "failure 1", "usage 64", "dataError 65", "noInput 66", "unavailable 69", "software 70",
                "cannotCreate 73", "inputOutput 74", "temporaryFailure 75", "noPermission 77", "configuration 78",
                "interrupted 130",
            ])
    }
}
