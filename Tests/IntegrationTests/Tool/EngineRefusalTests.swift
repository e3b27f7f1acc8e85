#if os(Linux)
import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// Engines with which nothing would be encrypted.
@Suite("An engine that cannot encrypt", .ending)
struct EngineRefusalTests {
    @Test func `a keying function of another library is refused before a key is used`() async throws {
        let own = try TemporaryDirectory()
        let source = own.url.appending(path: "other.c")
        // Another engine's function, which comes first when the program is loaded.
        try Data(
            """
            #include <stdio.h>
            int sqlite3_key_v2(void *database, const char *schema, const void *key, int length) {
                fputs("keyed", stderr);
                return 0;
            }
            """.utf8
        ).write(to: source)
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        compiler.arguments = [FaultShim.compiler, "-fPIC", "-shared", "-w", "-o", own.path("other.so"), source.path()]
        try await compiler.runToEnd()
        try #require(compiler.terminationStatus == 0)
        let workshop = try await DataWorkshop()
        let before = ProcessInfo.processInfo.environment["LD_PRELOAD"]
        let outcome = try await workshop.tool.run(
            ["tables", workshop.database, "--key-file", workshop.directory.path("keys")],
            environment: ["LD_PRELOAD": [own.path("other.so"), before].compactMap(\.self).joined(separator: ":")])
        #expect(outcome.status != 0 && outcome.output == "")
        #expect(outcome.errors.contains("Two libraries of SQLite"), "\(outcome.errors)")
        #expect(!outcome.errors.contains("keyed"))
    }
}
#endif
