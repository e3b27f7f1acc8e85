/// Runs the examples that work with the program's own databases, each of which is found by its name.
@main
enum ReadmeProgram {
    static func main() async throws {
        #if Macros
        try await keepANote()
        try await keepAContact()
        try await archiveAContact()
        #endif
    }
}
