import Foundation

@testable import Strongroom
@testable import StrongroomCommands

/// What reads bytes that the library has not written, and what must hold for any of them.
struct Reader: Sendable {
    let name: String
    /// The length of the longest input, in bytes.
    let longest: Int
    private let read: @Sendable (inout Input) throws -> Void

    init(_ name: String, longest: Int = 1 << 16, _ read: @escaping @Sendable (inout Input) throws -> Void) {
        (self.name, self.longest, self.read) = (name, longest, read)
    }

    static let all: [Reader] = [
        .cursor, .envelope, .exchange, .keys, .log, .notes, .object, .pages, .predicate, .record, .replica, .rows,
        .schema, .search, .service, .shell, .values,
    ]

    /// Reads an input. An error is one that the library names; any other one, and a condition that does not hold,
    /// traps.
    func run(_ bytes: UnsafeBufferPointer<UInt8>) {
        if Self.hasPlantedFault { PlantedFault.check(bytes) }
        var input = Input(Array(bytes))
        do {
            try read(&input)
        } catch let error as StrongroomError {
            require(!error.message.isEmpty, "an error says what to do")
        } catch is CommandFailure {
        } catch {
            fatalError("an error of another type: \(type(of: error))")
        }
    }

    /// With `STRONGROOM_FUZZ_FAULT=1` an input that begins with a certain word traps, which libFuzzer has to find.
    private static let hasPlantedFault = ProcessInfo.processInfo.environment["STRONGROOM_FUZZ_FAULT"] == "1"
}

/// Traps if a condition does not hold, also in an optimised build.
func require(_ condition: Bool, _ what: @autoclosure () -> String, line: UInt = #line, file: StaticString = #fileID) {
    if !condition { fatalError("does not hold: \(what())", file: file, line: line) }
}

private enum PlantedFault {
    static func check(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count > 3, bytes[0] == UInt8(ascii: "t") else { return }
        guard bytes[1] == UInt8(ascii: "r"), bytes[2] == UInt8(ascii: "a"), bytes[3] == UInt8(ascii: "p") else {
            return
        }
        fatalError("the planted fault")
    }
}
