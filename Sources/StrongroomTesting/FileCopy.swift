import Foundation

/// Copies a file's content to another path.
///
/// Foundation's file descriptors are inherited by a process that another test starts at the same time, which would then
/// have the copy open until it ends: a rotation would find the file open elsewhere, and rewrite it in place.
enum FileCopy {
    static func make(of source: String, at target: String) throws {
        let content = try Data(contentsOf: URL(filePath: source))
        let descriptor = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(target) }
        defer { close(descriptor) }
        try content.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count, let start = bytes.baseAddress {
                let length = write(descriptor, start + done, bytes.count - done)
                guard length >= 0 || errno == EINTR else { throw failure(target) }
                done += max(length, 0)
            }
        }
    }

    private static func failure(_ path: String) -> CocoaError {
        CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: path])
    }
}
