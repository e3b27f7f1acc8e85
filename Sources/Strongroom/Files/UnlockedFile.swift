/// A file that is read without a lock, since none can be had where it lies. What is read while another program changes it may not fit together, so
/// the end of each transaction looks whether the file is still the one that was opened.
struct UnlockedFile {
    private let path: String
    private let status: FileStatus

    /// - Throws: ``StrongroomError`` with `fileMissing`, `permissionDenied`.
    init(_ path: String) throws {
        guard let status = try FileStatus.at(path) else {
            throw StrongroomError(
                .fileMissing, "There is no file at «\(path)» any more. Bring it back, then open it again.")
        }
        self.path = path
        self.status = status
    }

    /// Throws when the file has been changed since.
    func check(_ database: String) throws {
        let now = try FileStatus.at(path)
        guard now?.identity != status.identity || now?.size != status.size || now?.modified != status.modified else {
            return
        }
        throw StrongroomError(
            .fileChanged,
            """
            Another program has changed «\(path)» while it was read where nothing can be locked, so what was read does not count. Close the store, \
            open it again, and read again.
            """,
            database: database)
    }
}
