import Foundation
import Strongroom
import StrongroomTesting

/// Functions and a table that the tests of functions share.
enum SampleFunctions {
    struct Refusal: Error, Equatable {
        let text: String
    }

    static let slug = SQLFunction("slug", deterministic: true) { (title: String) in
        title.lowercased().replacing(" ", with: "-")
    }
    static let twice = SQLFunction("twice", deterministic: true) { (number: Int) in number * 2 }
    /// NULL is an argument like any other.
    static let told = SQLFunction("told", deterministic: true) { (text: String?, number: Int?) -> String? in
        "\(text ?? "nil") \(number.map(String.init) ?? "nil")"
    }
    static let echo = SQLFunction("echo", deterministic: true) { (value: SQLValue) in value }
    static let answer = SQLFunction("answer") { 42 }
    static let refuse = SQLFunction("refuse", deterministic: true) { (text: String) throws -> String in
        guard text != "bad" else { throw Refusal(text: text) }
        return text
    }

    static let all: [any DatabaseFunction] = [slug, twice, told, echo, answer, refuse]
}

@Table("article")
struct Article: Equatable {
    var id: Int64?
    var title: String
    var subtitle: String?
    var price: Double?
    var rank: Int = 0

    init(id: Int64? = nil, _ title: String, subtitle: String? = nil, price: Double? = nil, rank: Int = 0) {
        (self.id, self.title, self.subtitle, self.price, self.rank) = (id, title, subtitle, price, rank)
    }
}
