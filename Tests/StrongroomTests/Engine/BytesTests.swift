import Foundation
import Strongroom
import Testing

/// Bytes that a read fills.
struct BytesTests {
    @Test("there are as many bytes as were written, and errors are thrown")
    func filled() throws {
        let bytes = [UInt8](capacity: 4) { buffer, filled in
            #expect(buffer.count == 4)
            for index in 0..<3 { buffer[index] = UInt8(index) }
            filled = 3
        }
        #expect(bytes == [0, 1, 2])
        #expect(throws: CancellationError.self) {
            _ = try [UInt8](capacity: 4) { _, _ in throw CancellationError() }
        }
    }

    @Test("without a capacity there are none, on several threads at once, and errors are thrown")
    func none() async throws {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    try await onThread {
                        (0..<100).allSatisfy { _ in
                            [UInt8](capacity: 0) { buffer, _ in #expect(buffer.isEmpty) }.isEmpty
                        }
                    }
                }
            }
            for try await isEmpty in group { #expect(isEmpty) }
        }
        #expect(throws: CancellationError.self) {
            _ = try [UInt8](capacity: 0) { _, _ in throw CancellationError() }
        }
    }
}
