/// A file that was made, on its way to its place.
extension PlainFile {
    /// Throws unless a name stands for this file, and is no link to it.
    ///
    /// - Throws: ``StrongroomError`` with `fileChanged`.
    func requireName(_ name: String) throws {
        guard try FileStatus.ofName(name)?.identity == status().identity else { throw swapped(name) }
    }

    /// Throws unless the engine has opened this file, and not another one that has got its name since it was made. The
    /// file is empty before and afterwards.
    ///
    /// A random mark is written through the descriptor and read through the engine's own handle: comparing names would
    /// prove nothing, since a name may be changed and changed back.
    ///
    /// - Parameters:
    ///   - connection: Has opened the file by its name, and has written nothing yet.
    ///   - schema: `main`, or the name under which the file is attached.
    /// - Throws: ``StrongroomError`` with `fileChanged`; `diskFull`, `inputOutput`.
    func requireOpened(by connection: Connection, as schema: String = "main") throws {
        let engine = try connection.databaseFile(of: schema)
        let mark = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        try mark.withUnsafeBytes { try write($0, at: 0) }
        var found = [UInt8](repeating: 0, count: mark.count)
        let length = try found.withUnsafeMutableBytes { try engine.read(at: 0, into: $0) }
        try truncate(to: 0)
        guard length == mark.count, found == mark, try engine.size() == 0 else { throw swapped(path) }
        try requireName(path)
    }

    /// Puts it into its place under a name that nothing has; see ``FileSystem/moveIntoPlace(_:_:)``.
    ///
    /// - Throws: ``StrongroomError`` with `fileChanged` when another program has exchanged it meanwhile.
    func moveIntoPlace(_ destination: String) throws {
        try requireName(path)
        try FileSystem.moveIntoPlace(path, destination)
        try requireName(destination)
    }

    /// Puts it in another file's place.
    ///
    /// - Throws: As ``moveIntoPlace(_:)``.
    func replace(_ destination: String) throws {
        try requireName(path)
        try FileSystem.replace(destination, with: path)
        try requireName(destination)
    }

    private func swapped(_ name: String) -> StrongroomError {
        StrongroomError(
            .fileChanged,
            """
            Another program has put a file of its own, or a link, at "\(name)" while Strongroom was making the file \
            there. Nothing was written to it. Look who may write to the directory, which should be the owner alone, \
            then try again.
            """)
    }
}
