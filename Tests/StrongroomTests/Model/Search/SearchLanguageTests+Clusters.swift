@testable import Strongroom

extension SearchLanguageTests {
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
        LanguageCase("emoji", "❤️", found: ["I ❤️ you", "❤\u{FE0F}", "❤"], other: ["💛"]),
        LanguageCase("flag", "🇩🇪", found: ["🇩🇪🇫🇷", "(🇩🇪)"], other: ["🇪🇩", "🇫🇷", "🇩"]),
        LanguageCase("flag of tags", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", found: ["x🏴󠁧󠁢󠁥󠁮󠁧󠁿"], other: ["🏳"]),
        LanguageCase("family", "👨‍👩‍👧", found: ["👨‍👩‍👧", "👨🏻‍👩🏽‍👧🏿"], other: ["👨", "👨‍👩‍👦", "👨👩👧"]),
        LanguageCase("keycap", "1️⃣", found: ["a 1️⃣", "1\u{20E3}", "1"], other: ["2️⃣"]),
        LanguageCase("word and keycap", "ab1", found: ["ab1️⃣"], other: ["ab"]),
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
