import Testing

// Internal: those who wait are nobody's to see.
@testable import Strongroom

@Suite("FIFO queue")
struct FIFOQueueTests {
    @Test func removedEntriesBehindTheFirstLeaveNoSpaceInUse() {
        var line = FIFOQueue<Int>()
        line.append(-1)
        for number in 0..<5_000 {
            line.append(number)
            #expect(line.remove { $0 == number } == number)
        }
        #expect(line.capacity < 2_500)
        #expect(line.first == -1)
    }

    @Test func theOthersKeepTheirOrder() {
        var line = FIFOQueue<Int>()
        for number in 0..<5_000 { line.append(number) }
        for number in 0..<5_000 where number % 5 != 0 { #expect(line.remove { $0 == number } == number) }
        #expect(line.capacity < 2_500)
        var left: [Int] = []
        while let next = line.popFirst() { left.append(next) }
        #expect(left == Array(stride(from: 0, to: 5_000, by: 5)))
        #expect(line.isEmpty && line.remove { _ in true } == nil)
    }
}
