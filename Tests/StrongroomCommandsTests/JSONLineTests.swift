import Foundation
import StrongroomCommands
import Testing

struct JSONLineTests {
    private struct Store: Encodable {
        var name: String
        var path: String
        var created: Date
        var rows: Int?
        var salt: Data
    }

    @Test("A value is one line, keys in order, slashes as they are, dates in ISO 8601")
    func line() throws {
        let store = Store(
            name: "a \"b\"", path: "/tmp/x", created: Date(timeIntervalSince1970: 0), rows: nil,
            salt: Data([1, 2, 255]))
        #expect(
            try JSONLine.encode(store)
                == #"{"created":"1970-01-01T00:00:00Z","name":"a \"b\"","path":"/tmp/x","salt":"AQL/"}"#)
    }

    @Test("Values that are not objects are lines too")
    func fragments() throws {
        #expect(try JSONLine.encode(7) == "7")
        #expect(try JSONLine.encode(["b", "a"]) == #"["b","a"]"#)
    }

    @Test("Line ends and what a terminal would act on are escaped, other text is not")
    func escaping() throws {
        let text = "a\n\r\u{1B}\u{7F}\u{85}\u{9B}\u{2028}\u{202E}é漢👍"
        let line = try JSONLine.encode(text)
        #expect(line == #""a\n\r\u001b\u007f\u0085\u009b\u2028\u202eé漢👍""#)
        #expect(try JSONDecoder().decode(String.self, from: Data(line.utf8)) == text)
    }

    @Test("A number that JSON cannot hold is an error")
    func notFinite() {
        #expect(throws: EncodingError.self) { try JSONLine.encode([Double.nan]) }
    }

    @Test("An error has a code and a message")
    func error() {
        #expect(
            JSONLine.error(code: "wrongKey", message: "The key does not open \"/a/b\".\n")
                == #"{"error":{"code":"wrongKey","message":"The key does not open \"/a/b\".\n"}}"#)
    }
}
