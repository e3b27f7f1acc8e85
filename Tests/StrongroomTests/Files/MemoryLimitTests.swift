import Foundation
import StrongroomTesting
import Testing

// The limit of the process is not public.
@testable import Strongroom

@Suite("The memory that a process may use")
struct MemoryLimitTests {
    private let directory = TemporaryDirectory.ofSuite()

    /// Writes the system's files below the test's directory.
    private func limit(_ files: [String: String]) throws -> Int? {
        for (path, text) in files {
            let url = directory.url.appending(path: path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }
        return MemoryLimit(root: String(directory.path("x").dropLast(2))).bytes
    }

    @Test func `it is the lowest limit of the cgroup and of those around it`() throws {
        let limit = try limit([
            "proc/self/cgroup": "0::/system.slice/clinic.service\n",
            "sys/fs/cgroup/system.slice/clinic.service/memory.max": "1073741824\n",
            "sys/fs/cgroup/system.slice/memory.max": "536870912\n",
        ])
        #expect(limit == 536_870_912)
    }

    @Test func `in a container it is that of the container`() throws {
        let limit = try limit([
            "proc/self/cgroup": "12:cpu,cpuacct:/docker/4f\n4:memory:/docker/4f\n",
            "sys/fs/cgroup/memory/memory.limit_in_bytes": "268435456\n",
        ])
        #expect(limit == 268_435_456)
    }

    @Test func `no number and the largest number are no limit`() throws {
        let limit = try limit([
            "proc/self/cgroup": "4:memory:/a\n0::/\nno group\n",
            "sys/fs/cgroup/memory.max": "max\n",
            "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
            "sys/fs/cgroup/memory/a/memory.limit_in_bytes": "-1\n",
        ])
        #expect(limit == nil)
    }

    @Test func `a system without cgroups has none`() throws {
        #expect(try limit([:]) == nil)
    }

    @Test func `lending stays within half of it by default`() {
        #expect(LendingLimits().memory == MemoryLimit().bytes.map { $0 / 2 })
        #expect(LendingLimits(memory: nil).memory == nil)
    }
}
