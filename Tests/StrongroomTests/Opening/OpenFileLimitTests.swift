import Foundation
import Strongroom
import StrongroomTesting
import Testing

/// In a process of its own, since the limit is the process's.
@Suite("More files than the process may have open")
struct OpenFileLimitTests {
    @Test func theErrorTellsOfTheLimitAndAfterItTheFileOpens() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("files")
        try await Vault(path, keys: .numbered(1)).keep("a")
        await #expect(processExitsWith: .success) { [path = path as String] in
            let vault = Vault(path, keys: .numbered(1))
            var limit = rlimit(rlim_cur: 64, rlim_max: 64)
            try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
            var taken: [Int32] = []
            while case let descriptor = open("/dev/null", O_RDONLY), descriptor >= 0 { taken.append(descriptor) }
            var failures = 0
            while let descriptor = taken.popLast() {
                do {
                    try #require(try await vault.lines() == ["a"])
                    break
                } catch let error as StrongroomError {
                    try #require(error.code == .tooManyOpenFiles, "\(error)")
                    try #require(error.message.contains("ulimit"))
                    failures += 1
                    close(descriptor)
                }
            }
            try #require(failures > 2 && !taken.isEmpty)
        }
    }
}
