import Foundation

/// What the harness prints; at once, also into a file.
func say(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}
