/// Checks the first bytes of a text, to distinguish a control file from other files.
struct ControlFileHead {
    private static let length = 64 << 10
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let compressed: [(magic: [UInt8], name: String)] = [
        ([0x04, 0x22, 0x4D, 0x18], "lz4"),
        ([0x1F, 0x8B], "gzip"),
        ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], "xz"),
        ([0x28, 0xB5, 0x2F, 0xFD], "zstd"),
        ([0x42, 0x5A, 0x68], "bzip2"),
        ([0x5D, 0x00, 0x00], "lzma"),
    ]

    private let bytes: [UInt8]

    init(_ source: ControlFileSource) throws(ControlFileError) {
        var head = [UInt8](repeating: 0, count: min(source.count, Self.length))
        let read = try head.withUnsafeMutableBufferPointer { buffer throws(ControlFileError) in
            try source.read(at: 0, into: UnsafeMutableRawBufferPointer(buffer))
        }
        bytes = Array(head.prefix(read))
    }

    /// Returns the offset at which the text starts; throws if it isn't a control file.
    func check() throws(ControlFileError) -> Int {
        for (magic, name) in Self.compressed where bytes.starts(with: magic) {
            throw .compressed(with: name)
        }
        let start = bytes.starts(with: Self.byteOrderMark) ? Self.byteOrderMark.count : 0
        try checkFirstField(from: start)
        return start
    }

    private func checkFirstField(from start: Int) throws(ControlFileError) {
        var lineStart = start
        var number = 1
        while let lineEnd = bytes[lineStart...].firstIndex(of: .newline) {
            let line = bytes[lineStart..<lineEnd]
            // A continuation line has a separate error, which the scanner throws.
            if line.first == .space || line.first == .tab { return }
            if line.first != .numberSign, line.first != nil, line.first != .carriageReturn {
                let name = line.prefix { $0.isPlainNameByte }
                guard name.first?.isLetter == true, line.dropFirst(name.count).first == .colon else {
                    throw .notControlFile(line: number)
                }
                return
            }
            lineStart = lineEnd + 1
            number += 1
        }
        // The rest has no line end. The scanner reports a field whose name or value is truncated.
        let rest = bytes[lineStart...]
        let tail = rest.drop { $0.isPlainNameByte }
        let couldBeCut =
            rest.isEmpty || rest.first == .numberSign || rest.first?.isBlank == true
            || (rest.first?.isLetter == true && (tail.isEmpty || tail.first == .colon))
        guard couldBeCut else { throw .notControlFile(line: number) }
    }
}

extension UInt8 {
    /// Whether field names in practice contain this byte; the format itself allows more.
    fileprivate var isPlainNameByte: Bool {
        isLetter || isDigit || self == UInt8(ascii: "-") || self == UInt8(ascii: "_") || self == UInt8(ascii: ".")
    }
}
