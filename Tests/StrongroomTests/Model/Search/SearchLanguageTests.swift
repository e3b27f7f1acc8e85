import Foundation
@testable import Strongroom
import Testing

/// A question, and texts that it has to find and not to find.
struct LanguageCase: Sendable, CustomTestStringConvertible {
    let language: String
    let question: String
    let found: [String]
    let other: [String]
    var tokenizer = TextTokenizer.standard

    var testDescription: String { "\(language): \(question)" }

    init(
        _ language: String, _ question: String, found: [String], other: [String] = [],
        by tokenizer: TextTokenizer = .standard
    ) {
        self.language = language
        self.question = question
        self.found = found
        self.other = other
        self.tokenizer = tokenizer
    }
}

@Suite struct SearchLanguageTests {
    @Test(arguments: latin + greekAndCyrillic + semitic + indic + clusters + symbols + marks + english)
    func `a question finds texts of its language`(_ example: LanguageCase) throws {
        let matcher = MemoryMatcher(tokenizer: example.tokenizer)
        for query in [SearchQuery.all(example.question), .phrase(example.question)] {
            for text in example.found { #expect(try matcher.matches(query, text), "\(example.question) in \(text)") }
            for text in example.other { #expect(try !matcher.matches(query, text), "\(example.question) in \(text)") }
        }
        for form in [
            example.question.decomposedStringWithCanonicalMapping,
            example.question.precomposedStringWithCanonicalMapping,
        ] {
            for text in example.found { #expect(try matcher.matches(.all(form), text), "\(form) in \(text)") }
        }
    }

    static let latin = [
        LanguageCase("French", "ete", found: ["Été", "l'été", "L\u{2019}E\u{301}TE\u{301}"], other: ["étés", "et e"]),
        LanguageCase("French", "l'été", found: ["l'été", "L'ETE", "l ete"], other: ["été", "l hiver ete"]),
        LanguageCase("French", "cœur", found: ["COEUR", "coeur", "Cœur"]),
        LanguageCase("German", "straße", found: ["STRASSE", "Strasse", "STRAẞE", "straße"], other: ["Strase"]),
        LanguageCase("German", "uber", found: ["über", "ÜBER", "u\u{308}ber"], other: ["ueber"]),
        LanguageCase("Turkish", "istanbul", found: ["İstanbul", "ISTANBUL", "ıstanbul", "istanbul"]),
        LanguageCase("Turkish", "ışık", found: ["IŞIK", "isik", "Işık"]),
        LanguageCase("Danish", "aero", found: ["Ærø", "ÆRØ", "aerø"]),
        LanguageCase("Danish", "Ærø", found: ["aero"], other: ["ero"]),
        LanguageCase("Polish", "lodz", found: ["Łódź", "łódź"]),
        LanguageCase("Icelandic", "thordur", found: ["Þórður", "ÞÓRÐUR"]),
        LanguageCase("Maltese and Sami", "hn", found: ["ħŋ", "ĦŊ"]),
        LanguageCase("Sami", "tah", found: ["ŧah", "Ŧah"]),
        LanguageCase("Vietnamese", "duong", found: ["đường", "ĐƯỜNG", "đuo\u{31B}\u{300}ng"]),
        LanguageCase(
            "Vietnamese", "tiếng Việt",
            found: ["tieng viet", "TIẾNG VIỆT", "tie\u{302}\u{301}ng vie\u{323}\u{302}t"]),
        LanguageCase("ligature", "find", found: ["ﬁnd", "FIND"]),
        LanguageCase("ligature", "ﬃ", found: ["ffi", "FFI"]),
        LanguageCase("superscript", "m2", found: ["m²", "M2", "m₂"], other: ["m 2"]),
        LanguageCase("width", "abc1", found: ["ＡＢＣ１", "ａｂｃ1"]),
        LanguageCase("letters and digits", "mp3", found: ["MP3", "x.mp3"], other: ["mp 3", "mp-3"]),
        LanguageCase("letters and digits", "mp-3", found: ["mp 3", "MP_3"], other: ["mp3"]),
        LanguageCase("soft hyphen", "hyphen", found: ["hy\u{AD}phen", "hy\u{200D}phen\u{FEFF}"]),
        LanguageCase("zero-width space", "one", found: ["one\u{200B}two"], other: ["onetwo"]),
        LanguageCase("Roman number", "iv", found: ["Ⅳ", "ⅳ"]),
    ]

    static let greekAndCyrillic = [
        LanguageCase("Greek", "οδος", found: ["ΟΔΟΣ", "οδός", "οδόσ", "Ὁδός"]),
        LanguageCase("Greek", "ΆΝΘΡΩΠΟΣ", found: ["άνθρωπος", "ανθρωποσ", "Ἄνθρωπος"]),
        LanguageCase("Greek", "ᾳδης", found: ["ᾼΔΗΣ", "αδης"]),
        LanguageCase("Russian", "ёж", found: ["еж", "ЁЖ", "Ёж", "е\u{308}ж"], other: ["уж"]),
        LanguageCase("Russian", "йод", found: ["ЙОД", "иод", "и\u{306}од"]),
        LanguageCase("Armenian", "ԵՒ", found: ["և", "եւ"]),
        LanguageCase("Georgian", "ᲐᲑ", found: ["აბ"]),
        LanguageCase("Cherokee", "ꭰꭱ", found: ["ᎠᎡ"]),
    ]

    static let semitic = [
        LanguageCase("Arabic", "كتاب", found: ["كِتَاب", "كـتـاب", "كتــاب"], other: ["كتب"]),
        LanguageCase("Arabic", "احمد", found: ["أحمد", "أَحْمَد"]),
        LanguageCase("Arabic ligature", "الله", found: ["ﷲ", "اللّٰه"]),
        LanguageCase("Arabic phrase", "صلى الله", found: ["ﷺ"]),
        LanguageCase("Persian", "می\u{200C}خواهم", found: ["میخواهم", "می\u{200C}خواهم"], other: ["می خواهم"]),
        LanguageCase("Hebrew", "שלום", found: ["שָׁלוֹם", "שׁלום"], other: ["שלם"]),
        LanguageCase("Hebrew", "תל", found: ["תל־אביב"]),
    ]

    static let indic = [
        LanguageCase("Hindi", "हिन्दी", found: ["हिन्दी", "हिन्दी भाषा"], other: ["हन्द", "हिन्द"]),
        LanguageCase("Hindi", "क़लम", found: ["क\u{93C}लम", "\u{958}लम"], other: ["कलम"]),
        LanguageCase("Tamil", "தமிழ்", found: ["தமிழ் மொழி"], other: ["தமழ"]),
        LanguageCase("Bengali", "কো", found: ["ক\u{9C7}\u{9BE}", "কো"]),
    ]
}
