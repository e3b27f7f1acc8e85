import Foundation

@testable import Strongroom

extension Reader {
    /// Dates, decimals and identifiers in the spellings of other programs.
    static let values = Reader("values", longest: 1 << 9) { input in
        let kind = input.byte() % 3
        let scale = Int(input.byte() % 19)
        let bytes = input.remainder()
        var number = Input(bytes)
        let real = Double(bitPattern: number.integer())
        let text = String(decoding: bytes, as: UTF8.self)
        let value: SQLValue =
            switch kind {
            case 0: .text(text)
            case 1: .integer(Int64(bitPattern: real.bitPattern))
            default: real.isNaN ? .blob(bytes) : .real(real)
            }
        // The milliseconds of dates after the year 70,000 are closer together than those of `Date`.
        if value.asReal.map({ $0.magnitude < 0x1p51 }) ?? true {
            for form in DateForm.allCases { check(.date(form), value) }
        }
        check(.uuid, value)
        check(.decimal, value)
        checkDecimal(text, scale)
        if kind == 2, let written = WrittenDate.exact(real) {
            require(WrittenDate.seconds(written) == real, "a date is read as it is written")
        }
        _ = (StoredForm(declaredType: text), UUID(uuidString: text), Collation(text))
    }

    private static func check(_ spelling: Spelling, _ value: SQLValue) {
        guard let own = spelling.canonical(value) else { return }
        require(spelling.isKept(by: own), "\(spelling): the library's spelling is kept")
        require(spelling.canonical(own) == own, "\(spelling): each value has one spelling")
    }

    private static func checkDecimal(_ text: String, _ scale: Int) {
        if let stored = SortedDecimal.stored(text) {
            let plain = SortedDecimal.plain(stored)
            require(plain.flatMap { SortedDecimal.stored($0) } == stored, "each decimal has one form")
        }
        guard let scale = DecimalScale(scale), let stored = try? scale.stored(digits: text) else { return }
        require((try? scale.stored(digits: scale.plain(stored))) == stored, "a scaled decimal is read as it is written")
        require((try? scale.stored(scale.decimal(stored))) == stored, "a scaled decimal is exact")
    }
}
