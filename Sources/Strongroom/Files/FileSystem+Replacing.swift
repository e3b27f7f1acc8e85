#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension FileSystem {
    /// Puts a finished file in the place of another one, in one step: whoever looks finds the one or the other, whole.
    static func replace(_ destination: String, with source: String) throws {
        guard rename(source, destination) == 0 else { throw failure(errno, "cannot put in place", destination) }
    }

    /// Gives a file to a user; its group stays.
    static func setOwner(of path: String, _ owner: UInt32) throws {
        guard chown(path, owner, gid_t.max) == 0 else { throw failure(errno, "cannot keep the owner of", path) }
    }
}
