import Foundation

/// Runs one reader by libFuzzer, whose arguments it takes; `STRONGROOM_FUZZ` names the reader. With `--list` it prints
/// the names of all, and the length in bytes up to which inputs are tried.
@main
enum Fuzz {
    static func main() {
        guard CommandLine.arguments.dropFirst().first != "--list" else {
            for reader in Reader.all { print(reader.name, reader.longest) }
            return
        }
        let name = ProcessInfo.processInfo.environment["STRONGROOM_FUZZ"] ?? ""
        guard let reader = Reader.all.first(where: { $0.name == name }) else {
            print("STRONGROOM_FUZZ names none of the readers that --list prints.")
            exit(64)
        }
        current = reader
        var (count, arguments) = (CommandLine.argc, CommandLine.unsafeArgv)
        exit(
            runDriver(&count, &arguments) { start, count in
                Fuzz.current?.run(UnsafeBufferPointer(start: start, count: count))
                return 0
            })
    }

    // Set before libFuzzer runs, which calls back on the main thread only.
    nonisolated(unsafe) private static var current: Reader?

    @_silgen_name("LLVMFuzzerRunDriver")
    private static func runDriver(
        _ argumentCount: UnsafeMutablePointer<Int32>,
        _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
        _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
    ) -> Int32
}
