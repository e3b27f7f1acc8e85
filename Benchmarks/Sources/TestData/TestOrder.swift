/// A row like those of the table Orders of Northwind, a sample database that a public comparison of SQLite libraries
/// reads: github.com/Lighter-swift/PerformanceTestSuite.
///
/// The texts are made up. They have the lengths of Northwind's, since a text of up to 15 bytes needs no memory of its
/// own in Swift, and the same columns are NULL about as often.
public struct TestOrder: OrderValues, Sendable {
    public var id: Int64?
    public var customerID: String?
    public var employeeID: Int64?
    public var orderDate: String?
    public var requiredDate: String?
    public var shippedDate: String?
    public var shipVia: Int64?
    public var freight: Double?
    public var shipName: String?
    public var shipAddress: String?
    public var shipCity: String?
    public var shipRegion: String?
    public var shipPostalCode: String?
    public var shipCountry: String?
}

extension TestOrder {
    /// 830 orders that Northwind has, and those that its script adds, whose number it draws from 15,000 to 16,000.
    public static let count = 16_282
    /// How many times a run loads all of them.
    public static let rounds = 20

    private static let originalCount = 830
    private static let firstKey: Int64 = 10_248

    public static func all() -> [TestOrder] {
        var generator = SeededGenerator(seed: 4)
        let customers = (0..<93).map { _ in text(of: 5...5, using: &generator).uppercased() }
        let places = (0..<90).map { Place(number: $0, using: &generator) }
        return (0..<count).map { number in
            let isOriginal = number < originalCount
            let place = places[Int.random(in: places.indices, using: &generator)]
            let dates = (0..<3).map { _ in date(withTime: !isOriginal, using: &generator) }
            return TestOrder(
                id: firstKey + Int64(number),
                customerID: customers[Int.random(in: customers.indices, using: &generator)],
                employeeID: Int64.random(in: 1...9, using: &generator),
                orderDate: dates[0],
                requiredDate: dates[1],
                shippedDate: isOriginal && number.isMultiple(of: 40) ? nil : dates[2],
                shipVia: Int64.random(in: 1...3, using: &generator),
                freight: freight(isOriginal: isOriginal, using: &generator),
                shipName: place.name,
                shipAddress: place.address,
                shipCity: place.city,
                shipRegion: place.region,
                shipPostalCode: place.postalCode,
                shipCountry: place.country)
        }
    }

    /// In cents, or in quarters where the script computes it.
    private static func freight(isOriginal: Bool, using generator: inout SeededGenerator) -> Double {
        isOriginal
            ? Double(Int.random(in: 2...20_000, using: &generator)) / 100
            : Double(Int.random(in: 41...2_000, using: &generator)) / 4
    }

    /// 10 bytes, or 19 with a time.
    private static func date(withTime: Bool, using generator: inout SeededGenerator) -> String {
        func number(_ range: ClosedRange<Int>) -> String {
            let digits = String(Int.random(in: range, using: &generator))
            return digits.count == 1 ? "0" + digits : digits
        }
        let day = "\(number(2012...2023))-\(number(1...12))-\(number(1...28))"
        return withTime ? "\(day) \(number(0...23)):\(number(0...59)):\(number(0...59))" : day
    }

    /// Words of six letters.
    private static func text(
        of lengths: ClosedRange<Int>, isAccented: Bool = false, using generator: inout SeededGenerator
    ) -> String {
        let letters = Array("abdefghiklmnoprstuvz")
        var characters = (0..<Int.random(in: lengths, using: &generator)).map { index -> Character in
            index % 7 == 6 ? " " : letters[Int.random(in: letters.indices, using: &generator)]
        }
        if isAccented { characters[1] = "ü" }
        return String(characters)
    }

    /// Where orders are sent to. One of five has letters outside ASCII, one has no postal code.
    private struct Place {
        let name: String
        let address: String
        let city: String
        let region: String
        let postalCode: String?
        let country: String

        init(number: Int, using generator: inout SeededGenerator) {
            let isAccented = number.isMultiple(of: 5)
            name = text(of: 8...30, isAccented: isAccented, using: &generator)
            address = text(of: 11...26, isAccented: isAccented, using: &generator)
            city = text(of: 4...12, isAccented: isAccented, using: &generator)
            region = text(of: 11...15, using: &generator)
            postalCode = number == 0 ? nil : text(of: 4...7, using: &generator)
            country = text(of: 2...9, using: &generator)
        }
    }
}
