/// File systems whose files may change without this system's kernel, which then reports no change of them.
enum RemoteFileSystems {
    /// Types by their names in the table of mounts.
    private static let types: Set<Substring> = [
        "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "virtiofs", "ceph", "afs", "coda", "lustre", "gpfs", "ocfs2",
        "gfs2", "beegfs", "orangefs", "glusterfs", "vboxsf", "vmhgfs", "prl_fs",
    ]

    private static let table = "/proc/self/mountinfo"
    private static let largestTable = 4 << 20

    /// Whether a file is on one of them; false if the system does not report it.
    static func contain(_ path: String) -> Bool {
        guard let device = try? FileStatus.at(path)?.identity.device,
            let mounts = try? FileSystem.firstBytes(of: table, largestTable)
        else { return false }
        return contain(device: device, in: String(decoding: mounts, as: UTF8.self))
    }

    /// Whether a device is one of them.
    ///
    /// - Parameters:
    ///   - device: The device's number, in which major and minor number are interleaved; see makedev(3).
    ///   - mounts: The table of mounts; see proc_pid_mountinfo(5).
    static func contain(device: UInt64, in mounts: String) -> Bool {
        let major = device >> 8 & 0xFFF | device >> 32 & ~0xFFF
        let minor = device & 0xFF | device >> 12 & ~0xFF
        let number = "\(major):\(minor)"
        return mounts.split(separator: "\n").contains { line in
            let fields = line.split(separator: " ")
            // Optional fields precede the dash, and the type follows it.
            guard fields.count > 2, fields[2] == number, let dash = fields.firstIndex(of: "-"),
                dash + 1 < fields.count
            else { return false }
            return types.contains(fields[dash + 1]) || fields[dash + 1].hasPrefix("fuse")
        }
    }
}
