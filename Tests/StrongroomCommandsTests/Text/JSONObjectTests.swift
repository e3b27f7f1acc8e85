import Strongroom
import StrongroomCommands
import Testing

@Suite("Reading JSON Lines")
struct JSONObjectTests {
    private func members(_ text: String) throws -> [String: JSONObject.Member] {
        Dictionary(try JSONObject(Array(text.utf8)).members.map { ($0.name, $0.member) }) { first, _ in first }
    }

    @Test func eachKindOfValueIsKeptExactly() throws {
        let found = try members(
            #" { "i" : 9007199254740993 , "m":-9223372036854775808,"r":1.0,"e":1e3,"n":null,"t":true,"#
                + #""s":"a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00\u0000","b":{"base64":"AQID"}, "0":-0.5 } "#
        )
        #expect(found["i"] == .value(9_007_199_254_740_993))
        #expect(found["m"] == .value(.integer(.min)))
        #expect(found["r"] == .value(1.0))
        #expect(found["e"] == .value(1000.0))
        #expect(found["n"] == .value(.null))
        #expect(found["t"] == .bool(true))
        #expect(found["s"] == .value(.text("a\"\\/\u{8}\u{C}\n\r\té😀\0")))
        #expect(found["b"] == .value(.blob([1, 2, 3])))
        #expect(found["0"] == .value(-0.5))
        #expect(try members("{}").isEmpty)
    }

    @Test(arguments: [
        (#"{"a":NaN}"#, "NaN"), (#"{"a":-Infinity}"#, "-Infinity"), (#"{"a":Infinity}"#, "Infinity"),
        (#"{"a":9223372036854775808}"#, "64 bits"), (#"{"a":1e999}"#, "too large"), (#"{"a":01}"#, "valid JSON number"),
        (#"{"a":1.}"#, "valid JSON number"), (#"{"a":.5}"#, "valid JSON value"), (#"{"a":+1}"#, "valid JSON value"),
        (#"{"a":[1]}"#, "array"),
        (#"{"a":{"b":1}}"#, "base64"), (#"{"a":{"base64":"*"}}"#, "Base64"), (#"{"a":1,"a":2}"#, "one name"),
        (#"{"a":1} x"#, "follows"), (#"{"a":1"#, "brace"), (#"{"a" 1}"#, "colon"), (#"{a:1}"#, "name"),
        ("[1]", "not a JSON object"),
        ("", "not a JSON object"), (#"{"a":"\x"}"#, "backslash"), (#"{"a":"\ud83d"}"#, "surrogate"),
        (#"{"a":"\ud83dx"}"#, "surrogate"), (#"{"a":"\u12"}"#, "hexadecimal"), (#"{"a":"x"#, "closing"),
        ("{\"a\":\"\n\"}", "control"), (#"{"a":1,}"#, "name"), (#"{"a":tru}"#, "valid JSON value"),
        (#"{"a":"\"#, "backslash"),
    ])
    func whatIsWrongIsNamed(text: String, words: String) throws {
        let fault = try #require(throws: JSONObject.Fault.self) { try JSONObject(Array(text.utf8)) }
        #expect(fault.words.contains(words), "\(fault.words)")
    }

    @Test func bytesThatAreNoTextAreNamed() throws {
        let bytes = Array(#"{"a":""#.utf8) + [0xC3, 0x28] + Array(#""}"#.utf8)
        let fault = try #require(throws: JSONObject.Fault.self) { try JSONObject(bytes) }
        #expect(fault.words.contains("UTF-8"))
    }
}
