#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Splits a control file into paragraphs of lines, one paragraph at a time, with a buffer of the text.
struct ParagraphScanner: Sendable {
    /// A line of the paragraph: its range in ``withBytes(_:)``, without its line end, and its number in the file.
    struct Line: Sendable {
        var start: Int
        var end: Int
        var number: Int
    }

    static let chunkSize = 256 << 10
    static let longestLine = 1 << 20
    static let longestParagraph = 16 << 20

    /// The lines of the last paragraph that ``advance()`` found, without comments.
    private(set) var lines: [Line] = []

    /// Whether a blank line ended the paragraph; otherwise the file did.
    private(set) var isClosed = true

    private let source: ControlFileSource
    private let ending: ControlFile.Ending
    private var window: [UInt8]
    /// The buffer contains `base..<filled` of the text; line offsets are relative to `base`, so that moving the buffer
    /// does not change them.
    private var base = 0
    private var position = 0
    private var filled = 0
    private var offset: Int
    private(set) var lineNumber = 0

    init(source: ControlFileSource, start: Int, ending: ControlFile.Ending) {
        self.source = source
        self.ending = ending
        offset = start
        window = [UInt8](repeating: 0, count: max(1, min(Self.chunkSize, source.count)))
    }

    /// Finds the next paragraph; false if there is none.
    mutating func advance() throws(ControlFileError) -> Bool {
        lines.removeAll(keepingCapacity: true)
        base = position
        while let line = try takeLine() {
            if isBlank(line) {
                if !lines.isEmpty {
                    isClosed = true
                    return true
                }
            } else {
                try append(line)
            }
            // Blank lines and comments before a paragraph are not part of it and are not buffered.
            if lines.isEmpty { base = position }
        }
        if lines.isEmpty { return false }
        guard ending == .endOfFile else { throw .truncated(atEndOf: lineNumber) }
        isClosed = false
        return true
    }

    /// Calls `body` with the bytes to which ``lines`` refer.
    func withBytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws(ControlFileError) -> Result
    ) throws(ControlFileError) -> Result {
        try window.withUnsafeBufferPointer { buffer throws(ControlFileError) in
            try body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[base..<position]))
        }
    }

    private mutating func append(_ line: Line) throws(ControlFileError) {
        let fault = window.withUnsafeBufferPointer { buffer in
            TextFault(
                in: UnsafeRawBufferPointer(
                    rebasing: UnsafeRawBufferPointer(buffer)[base + line.start..<base + line.end]))
        }
        if let fault { throw .badText(fault, line: line.number) }
        let first = window[base + line.start]
        if first == .numberSign { return }
        guard !lines.isEmpty || !(first == .space || first == .tab) else {
            throw .orphanContinuation(line: line.number)
        }
        lines.append(line)
    }

    private func isBlank(_ line: Line) -> Bool {
        window[base + line.start..<base + line.end].allSatisfy { $0 == .space || $0 == .tab }
    }

    /// Consumes the next line of the buffer; nil at the end of the text.
    private mutating func takeLine() throws(ControlFileError) -> Line? {
        var searched = position
        while true {
            if let newline = findNewline(from: searched) {
                guard newline - position <= Self.longestLine else { throw .lineTooLong(line: lineNumber + 1) }
                lineNumber += 1
                var end = newline
                if end > position, window[end - 1] == .carriageReturn { end -= 1 }
                let line = Line(start: position - base, end: end - base, number: lineNumber)
                position = newline + 1
                return line
            }
            guard filled - position <= Self.longestLine else { throw .lineTooLong(line: lineNumber + 1) }
            let unsearched = filled - base
            guard try fill() else {
                guard filled == position else { throw .truncated(inside: lineNumber + 1) }
                return nil
            }
            searched = base + unsearched
        }
    }

    private func findNewline(from start: Int) -> Int? {
        window.withUnsafeBufferPointer { buffer in
            guard start < filled, let address = buffer.baseAddress,
                let found = memchr(address + start, Int32(UInt8.newline), filled - start)
            else { return nil }
            return UnsafeRawPointer(address).distance(to: found)
        }
    }

    /// Reads more of the text into the buffer; false at the end of the text.
    private mutating func fill() throws(ControlFileError) -> Bool {
        guard offset < source.count else { return false }
        if filled == window.count { try makeRoom() }
        let free = filled..<window.count
        let (source, offset) = (source, offset)
        let count = try window.withUnsafeMutableBufferPointer { buffer throws(ControlFileError) in
            try source.read(
                at: offset, into: UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[free]))
        }
        guard count > 0 else { throw .truncated(whileReading: lineNumber + 1) }
        filled += count
        self.offset += count
        return true
    }

    private mutating func makeRoom() throws(ControlFileError) {
        guard base == 0 else {
            window.withUnsafeMutableBytes { buffer in
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[base..<filled]))
            }
            position -= base
            filled -= base
            base = 0
            return
        }
        guard window.count < Self.longestParagraph else { throw .paragraphTooLong(line: lineNumber + 1) }
        window.append(contentsOf: repeatElement(0, count: window.count))
    }
}
