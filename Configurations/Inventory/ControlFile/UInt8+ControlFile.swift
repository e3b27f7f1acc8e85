extension UInt8 {
    static let newline = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let space = UInt8(ascii: " ")
    static let tab = UInt8(ascii: "\t")
    static let colon = UInt8(ascii: ":")
    static let numberSign = UInt8(ascii: "#")

    /// Space, tab or newline; a CR is only accepted in a line end, which the scanner removes.
    var isBlank: Bool {
        self == .space || self == .tab || self == .newline
    }

    var isDigit: Bool {
        self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9")
    }

    var isLetter: Bool {
        let lower = lowercased
        return lower >= UInt8(ascii: "a") && lower <= UInt8(ascii: "z")
    }

    /// The byte, with A to Z in lower case.
    var lowercased: UInt8 {
        self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") ? self | 0x20 : self
    }

    /// Whether deb822 allows this byte in a field's name.
    var isFieldNameByte: Bool {
        self > .space && self < 0x7F && self != .colon
    }

    /// Whether dpkg accepts this byte in a package name; the first one must be a letter or a digit.
    var isPackageNameByte: Bool {
        isLetter || isDigit || self == UInt8(ascii: "-") || self == UInt8(ascii: "+") || self == UInt8(ascii: ".")
            || self == UInt8(ascii: "_")
    }

    /// Whether an architecture's name may contain this byte.
    var isArchitectureByte: Bool {
        isLetter || isDigit || self == UInt8(ascii: "-")
    }

    /// Whether a version may contain this byte: graphic ASCII without the punctuation of dependency fields.
    ///
    /// dpkg only warns about characters that Debian's policy does not allow, so they do occur.
    var isVersionByte: Bool {
        guard self > .space, self < 0x7F else { return false }
        switch self {
        case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: ","), UInt8(ascii: "|"), UInt8(ascii: "["),
            UInt8(ascii: "]"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "="):
            return false
        default:
            return true
        }
    }
}
