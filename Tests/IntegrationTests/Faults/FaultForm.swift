import Foundation
import StrongroomTesting
import Testing

/// How long the tests with planted faults may take: the variable `STRONGROOM_FAULTS` is `short` (as without it), `ci`
/// or `full`.
enum FaultForm: String {
    /// A few faults a case, chosen by a seed.
    case short
    /// As many as two minutes hold.
    case ci
    /// Every kill at every call, and of the faults that a victim survives a hundred a case.
    case full

    struct Unknown: Error {
        let value: String
    }

    static func current() throws -> FaultForm {
        guard let value = ProcessInfo.processInfo.environment["STRONGROOM_FAULTS"] else { return .short }
        guard let form = FaultForm(rawValue: value) else { throw Unknown(value: value) }
        return form
    }

    /// The faults that a case gets.
    ///
    /// - Parameters:
    ///   - all: All that there are.
    ///   - few: How many the short form has.
    ///   - most: How many the full form has; nil for all.
    ///   - seed: Chooses them, and their order.
    func choice<T>(of all: [T], few: Int, most: Int? = nil, seed: UInt64) -> [T] {
        var generator = SeededGenerator(seed)
        let shuffled = all.shuffled(using: &generator)
        return Array(shuffled.prefix(self == .short ? few : most ?? all.count))
    }

    /// Until when a case goes on with further faults, when its test has some seconds for some cases; nil for no end.
    func end(of seconds: Double, cases: Int) -> ContinuousClock.Instant? {
        self == .ci ? .now + .seconds(seconds / Double(cases)) : nil
    }
}
