extension Reader {
    /// What an S3 service, or a proxy before it, answers, and files of profiles.
    static let service = Reader("service", longest: 1 << 13) { input in
        switch input.byte() % 4 {
        case 0: readList(input.remainder())
        case 1: readResponse(&input)
        case 2:
            let name = input.text()
            require(S3Text.decoded(S3Text.encoded(name)) == name, "a name is decoded as it was encoded")
            _ = S3Text.decoded(name)
        default:
            let form = input.flag() ? ProfileFile.Form.credentials : .config
            do {
                let file = try ProfileFile(input.text(), form)
                for profile in file.profiles.values {
                    for value in profile.values { require(value.line > 0, "lines are counted from 1") }
                }
            } catch is CredentialDefect {
            }
        }
    }

    private static func readList(_ bytes: [UInt8]) {
        guard let root = S3Element(document: bytes) else { return }
        require(depth(of: root) <= 16, "the depth of a document is limited")
        guard let list = S3List(bytes) else { return }
        require(list.objects.allSatisfy { $0.size >= 0 }, "sizes are not negative")
        require(list.nextPage?.isEmpty != true, "a token is not empty")
    }

    private static func depth(of element: S3Element) -> Int {
        1 + (element.children.map { depth(of: $0) }.max() ?? 0)
    }

    private static func readResponse(_ input: inout Input) {
        let status = 100 + input.number(below: 500)
        var headers: [String: String] = [:]
        for name in ["date", "retry-after", "location", "x-amz-bucket-region", "content-length", "transfer-encoding"] {
            let length = Int(input.byte() % 64)
            if length > 0 { headers[name] = input.text(length) }
        }
        let response = S3Response(HTTPResponse(status: status, headers: headers, body: input.remainder()))
        for word in [response.code, response.region, response.address].compactMap(\.self) {
            require(word.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "what a message names is printable")
        }
        if let pause = response.retryAfter(now: 1_800_000_000) {
            require(pause >= .zero && pause <= .seconds(86_400), "a pause is limited")
        }
        _ = (response.hasLength, response.summary, response.refusesCredentials)
        if let date = headers["date"].flatMap(S3Text.seconds(ofDate:)) { _ = abs(1_800_000_000 - date) }
    }
}

/// As StrongroomS3 declares it beside what needs more than a parser.
struct CredentialDefect: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}
