import Foundation
import Strongroom
import StrongroomTesting
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

enum LanguageCases {
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

extension LanguageCases {
    static let clusters = [
        LanguageCase("Thai", "ไทย", found: ["ประเทศไทย", "ภาษาไทยง่าย"], other: ["ไท ", "ทยไ"]),
        LanguageCase("Thai", "น้ำ", found: ["แม่น้ำ", "น้ำตก"], other: ["นำ", "นา"]),
        LanguageCase("Lao", "ລາວ", found: ["ພາສາລາວ"], other: ["ລາ"]),
        LanguageCase("Lao", "ນ້ຳ", found: ["ແມ່ນ້ຳ", "ນ້\u{ECD}\u{EB2}"]),
        LanguageCase("Khmer", "ខ្មែរ", found: ["ភាសាខ្មែរ"], other: ["ខមរ"]),
        LanguageCase("Myanmar", "မြန်မာ", found: ["မြန်မာဘာသာ"], other: ["မန်မာ"]),
        LanguageCase("Tibetan", "བོད", found: ["བོད་སྐད་"], other: ["བད"]),
        LanguageCase("Chinese", "北京", found: ["我在北京大学", "北京"], other: ["北大京", "京北", "北"]),
        LanguageCase("Chinese, rare", "𠮷野", found: ["𠮷野家"], other: ["吉野家"]),
        LanguageCase("compatibility ideograph", "\u{8C48}", found: ["\u{F900}"]),
        LanguageCase("compatibility ideograph", "\u{4E3D}", found: ["\u{2F800}"]),
        LanguageCase("radical", "一", found: ["\u{2F00}"]),
        LanguageCase("variation of an ideograph", "葛", found: ["葛\u{E0100}"]),
        LanguageCase("Japanese", "東京", found: ["東京都庁", "東京"], other: ["東大京"]),
        LanguageCase("Japanese", "時々", found: ["時々雨"]),
        LanguageCase("Japanese", "ガス", found: ["ｶﾞｽ", "ガス", "カ\u{3099}ス"], other: ["カス", "がす"]),
        LanguageCase("Japanese", "コーヒー", found: ["ｺｰﾋｰ", "アイスコーヒー"], other: ["コヒ"]),
        LanguageCase("Japanese and Latin", "abc東京", found: ["ＡＢＣ東京"], other: ["abc 大阪"]),
        LanguageCase("Japanese and Latin", "abc", found: ["東京abcです"]),
        LanguageCase("Japanese square", "株式会社", found: ["㍿", "㈱会社は株式会社"], other: ["㈱"]),
        LanguageCase("Korean", "서울", found: ["서울에서", "서울", "대한민국서울"], other: ["서 부울"]),
        LanguageCase(
            "Korean, decomposed", "\u{1109}\u{1165}\u{110B}\u{116E}\u{11AF}", found: ["서울에서"], other: ["서우"]),
        LanguageCase("Korean letters", "ㅋ", found: ["ㅋㅋㅋ"]),
    ]

    static let symbols = [
        LanguageCase("emoji", "👍", found: ["👍", "👍🏽", "good👍🏿!", "👍👍"], other: ["👎", "👍\u{200D}👎"]),
        LanguageCase("emoji", "❤️", found: ["I ❤️ you", "❤\u{FE0F}"], other: ["❤", "💛"]),
        LanguageCase("flag", "🇩🇪", found: ["🇩🇪🇫🇷", "(🇩🇪)"], other: ["🇪🇩", "🇫🇷", "🇩"]),
        LanguageCase("flag of tags", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", found: ["x🏴󠁧󠁢󠁥󠁮󠁧󠁿"], other: ["🏴"]),
        LanguageCase("family", "👨‍👩‍👧", found: ["👨‍👩‍👧", "👨🏻‍👩🏽‍👧🏿"], other: ["👨", "👨‍👩‍👦", "👨👩👧"]),
        LanguageCase("keycap", "1️⃣", found: ["a1️⃣", "1\u{20E3}"], other: ["1", "2️⃣"]),
        LanguageCase("keycap", "#️⃣", found: ["#\u{20E3}"], other: ["#", "*️⃣"]),
        LanguageCase("word and keycap", "ab", found: ["ab1️⃣"], other: ["ab1"]),
        LanguageCase("fraction", "½", found: ["½", "2½", "1/2"], other: ["12"]),
        LanguageCase("symbol of letters", "tm", found: ["Name™"]),
        LanguageCase("word before a symbol of letters", "name", found: ["Name™", "Name©"]),
        LanguageCase("punctuation", "c++", found: ["C", "c#"], other: ["cc"]),
    ]

    static let marks = [
        LanguageCase("marks", "été", found: ["ÉTÉ", "e\u{301}te\u{301}"], other: ["ete", "eté"], by: .keepingMarks),
        LanguageCase("marks", "straße", found: ["STRASSE"], by: .keepingMarks),
        LanguageCase("marks", "İ", found: ["i\u{307}"], other: ["i"], by: .keepingMarks),
        LanguageCase(
            "marks", "ᾳ\u{301}", found: ["ά\u{345}", "ΆΙ", "α\u{345}\u{301}"], other: ["άλ"], by: .keepingMarks),
        LanguageCase(
            "marks", "Việt", found: ["vie\u{302}\u{323}t", "VIỆT"], other: ["viet", "viêt"], by: .keepingMarks),
        LanguageCase("marks", "ガ", found: ["ｶﾞ"], other: ["カ"], by: .keepingMarks),
        LanguageCase("marks", "Ærø", found: ["ÆRØ"], other: ["aero"], by: .keepingMarks),
        LanguageCase("marks", "서울", found: ["서울에서"], by: .keepingMarks),
    ]

    static let english = [
        LanguageCase(
            "English", "connect", found: ["Connected", "connections", "CONNECTING"], other: ["con"], by: .english),
        LanguageCase("English", "running dogs", found: ["run, dog"], other: ["runner"], by: .english),
        LanguageCase("English", "naïve", found: ["naive"], by: .english),
    ]
}

/// The questions and texts of all languages, in a file.
@Suite("Languages in a full-text index")
struct SearchLanguageTests {
    @Table(
        "sample",
        fullText: [
            FullTextIndex("standard", on: "text"), FullTextIndex("marks", on: "text", tokenizer: .keepingMarks),
            FullTextIndex("english", on: "text", tokenizer: .english),
        ])
    struct Sample {
        var id: Int64?
        var text: String
    }

    @Test func `a question finds the texts of its language alone`() async throws {
        typealias Cases = LanguageCases
        let cases =
            Cases.latin + Cases.greekAndCyrillic + Cases.semitic + Cases.indic + Cases.clusters + Cases.symbols
            + Cases.marks + Cases.english
        let temporary = try await TemporaryStore(Sample.self)
        try await temporary.store.write { db throws in
            for example in cases {
                var wanted: Set<Int64> = []
                var keys: [Int64] = []
                for text in example.found + example.other {
                    let key = try Sample.insert(Sample(text: text), in: db)
                    keys.append(key)
                    if wanted.count < example.found.count { wanted.insert(key) }
                }
                for question in [SearchQuery.all(example.question), .phrase(example.question)] {
                    let found = try Sample.search(question, index: example.tokenizer.name).fetch(in: db)
                    #expect(Set(found.compactMap(\.id)) == wanted, "\(example.testDescription)")
                    let hits = try Sample.hits(question, index: example.tokenizer.name, in: db)
                    #expect(Set(hits.compactMap(\.record.id)) == wanted, "\(example.testDescription)")
                }
                for form in [
                    example.question.decomposedStringWithCanonicalMapping,
                    example.question.precomposedStringWithCanonicalMapping,
                ] {
                    let found = try Sample.search(.all(form), index: example.tokenizer.name).fetch(in: db)
                    #expect(wanted.isSubset(of: found.compactMap(\.id)), "\(example.testDescription)")
                }
                for key in keys { try Sample.delete(key, in: db) }
            }
        }
        #expect(try await Library.findings(temporary.store) == [])
    }
}
