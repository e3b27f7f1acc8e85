import StrongroomTesting
import XCTest

/// The kit under XCTest, which shows the text of the error that a test throws.
final class XCTestTests: XCTestCase {
    func testSoundMigrationsAreProved() async throws {
        let report = try await Library().proof().verify()
        XCTAssertEqual(report.ups.count, 4)
    }

    func testAFaultIsToldWithTheCallersLine() async throws {
        let line = #line + 2
        do {
            try await Library.with("3") { _ in }.proof().verify()
            XCTFail("the fault was not noticed")
        } catch let failure as MigrationProof.Failure {
            XCTAssertTrue("\(failure)".hasPrefix("StrongroomTestingTests/XCTestTests.swift:\(line): "), "\(failure)")
        }
    }
}
