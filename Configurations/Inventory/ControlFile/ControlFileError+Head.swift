#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension ControlFileError {
    static func cannotOpen(_ path: String, reason: Int32) -> ControlFileError {
        switch reason {
        case ENOENT, ENOTDIR:
            ControlFileError(.fileMissing, "there is no file at \(path); check the path")
        case EISDIR:
            ControlFileError(.isDirectory, "\(path) is a directory; name a file in it")
        default:
            ControlFileError(
                .notReadable,
                """
                \(path) cannot be read (\(String(cString: strerror(reason)))); check its permissions and its directory's
                """
            )
        }
    }

    static func notRegularFile(_ path: String) -> ControlFileError {
        ControlFileError(
            .notRegularFile,
            "\(path) is a pipe, a socket or a device; write its text to a file, or read it into memory, first")
    }

    static var emptyText: ControlFileError {
        ControlFileError(.empty, "the file contains no paragraph; check that it is the right file and complete")
    }

    static func compressed(with format: String) -> ControlFileError {
        ControlFileError(
            .compressed,
            """
            the file is compressed with \(format); unpack it first, apt's lists with /usr/lib/apt/apt-helper cat-file \
            FILE
            """
        )
    }

    static func notControlFile(line: Int) -> ControlFileError {
        ControlFileError(
            .notControlFile, line: line,
            "this is not a control file, which starts with a field's name and a colon, as in 'Package: dpkg'; name "
                + "dpkg's status file or one of apt's Packages lists")
    }

    static func truncated(inside line: Int) -> ControlFileError {
        ControlFileError(
            .truncated, line: line, "the file ends inside this line, so it is truncated; get a complete copy of it")
    }

    static func truncated(atEndOf line: Int) -> ControlFileError {
        ControlFileError(
            .truncated, line: line,
            "the file ends after this line, inside a paragraph, so it is probably truncated; get a complete copy of it "
                + "(read a complete file that ends without a blank line with the ending .endOfFile)")
    }

    static func truncated(whileReading line: Int) -> ControlFileError {
        ControlFileError(
            .truncated, line: line,
            "the file became shorter while it was read; read it again when no process writes to it")
    }
}
