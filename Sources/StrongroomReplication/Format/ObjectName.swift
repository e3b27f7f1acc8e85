/// The names of a replica's objects.
///
/// A replica is a folder. Its changes are numbered from 1; the name of change `n` is 2⁶⁴ − 1 − `n` as 16 hexadecimal
/// digits, so that a list of one entry has the newest one. The bases are in the folder `base`: that of the state after
/// change `n` has a folder of its own, whose name consists of the digits of `n` and of a random number, and in which
/// the parts are numbered from 0. Leases are in the folder `lease`, named like changes.
enum ObjectName {
    static let bases = "base"
    static let leases = "lease"

    /// Less than the names of all changes, and greater than those of the folders before them: a list that begins here
    /// has the newest change first, and an S3 service does not fill a page of one entry with a folder.
    static let beforeChanges = "e"

    /// The name of a change, or of a lease.
    static func change(_ number: UInt64) -> String { digits(.max - number) }

    /// The number of a change, or of a lease; nil for another name.
    static func number(ofChange name: some StringProtocol) -> UInt64? {
        guard let value = value(name), (1...maxNumber).contains(.max - value) else { return nil }
        return .max - value
    }

    /// The greatest number, so that calculations with numbers from names cannot overflow.
    static let maxNumber: UInt64 = 1 << 60

    /// The folder of a base.
    static func base(_ number: UInt64, _ identifier: UInt64) -> String { "\(change(number))-\(digits(identifier))" }

    /// The number of the change whose state a base has; nil for another name.
    static func number(ofBase folder: String) -> UInt64? {
        let parts = folder.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, value(parts[1]) != nil, let value = value(parts[0]), .max - value <= maxNumber else {
            return nil
        }
        return .max - value
    }

    /// The name of a part of a base.
    static func part(_ index: Int) -> String { String(digits(UInt64(index)).suffix(partLength)) }

    /// The index of a part of a base; nil for another name.
    static func index(ofPart name: String) -> Int? {
        guard name.utf8.count == partLength, let value = UInt64(name, radix: 16) else { return nil }
        return name == part(Int(value)) ? Int(value) : nil
    }

    private static let partLength = 8

    private static func digits(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    private static func value(_ digits: some StringProtocol) -> UInt64? {
        guard digits.utf8.count == 16, let value = UInt64(digits, radix: 16), self.digits(value) == digits else {
            return nil
        }
        return value
    }
}
