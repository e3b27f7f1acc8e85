extension Group {
    /// The rival is the same with a small file: the size is not to matter.
    static let rotateEnvelope = Group("rotate-envelope", "another passphrase in the envelope of a file") { workplace in
        let size = workplace.megabytes
        let large = try await RotatingFile(in: workplace.directory, megabytes: size, wrapped: true)
        let small = try await RotatingFile(in: workplace.directory, megabytes: 1, wrapped: true)
        return [
            Measure(
                name: "rotate-envelope, \(size) MB",
                unit: .milliseconds,
                ours: { try await large.rewrap() },
                rival: Measure.Side(name: "with 1 MB", target: 0.9) { try await small.rewrap() }
            )
        ]
    }
}
