extension ControlFileError {
    static func badText(_ fault: TextFault, line: Int) -> ControlFileError {
        switch fault {
        case .nulByte:
            ControlFileError(
                .nulByte, line: line,
                "the line contains a zero byte, as after a system crash; restore the file from a copy")
        case .invalidUTF8:
            ControlFileError(
                .invalidUTF8, line: line, "the line isn't UTF-8; convert the file, for example with iconv")
        }
    }

    static func lineTooLong(line: Int) -> ControlFileError {
        ControlFileError(
            .tooLong, line: line, "the line is longer than 1 MiB; check that the file is a control file and not damaged"
        )
    }

    static func paragraphTooLong(line: Int) -> ControlFileError {
        ControlFileError(
            .tooLong, line: line,
            "the paragraph has more than 16 MiB up to here; check that blank lines separate the paragraphs")
    }

    static func tooManyFields(line: Int) -> ControlFileError {
        ControlFileError(
            .tooLong, line: line,
            "the paragraph has more than 1,024 fields; check that blank lines separate the paragraphs")
    }

    static func missingColon(line: Int) -> ControlFileError {
        ControlFileError(
            .missingColon, line: line,
            """
            the line has no field name followed by a colon; if it continues the line before it, start it with a space
            """
        )
    }

    static func orphanContinuation(line: Int) -> ControlFileError {
        ControlFileError(
            .orphanContinuation, line: line,
            """
            the line starts with a space, but there is no field that it could continue; remove the blank line before 
            """
                + "it (in a description, write ' .' instead) or the space")
    }

    static func duplicateField(line: Int, firstLine: Int) -> ControlFileError {
        ControlFileError(
            .duplicateField, line: line,
            """
            the paragraph has this field already, on line \(firstLine); remove one of them, or put a blank line between 
            """
                + "two paragraphs")
    }

    static func missingField(_ name: String, line: Int) -> ControlFileError {
        ControlFileError(
            .missingField, line: line,
            "the paragraph that starts here has no \(name), or an empty one; check that the file is dpkg's status or a "
                + "Packages list, and that no blank line splits the paragraph")
    }

    static func malformedField(line: Int) -> ControlFileError {
        ControlFileError(
            .malformedField, line: line,
            """
            the value isn't one word that starts with a letter or a digit and has only the characters allowed for this 
            """
                + "field; correct it")
    }

    static func malformedSize(line: Int) -> ControlFileError {
        ControlFileError(
            .malformedSize, line: line,
            "the size isn't a whole number of KiB, such as 1024; correct it or remove the line")
    }

    static func malformedDependency(_ reason: String, line: Int) -> ControlFileError {
        ControlFileError(
            .malformedDependency, line: line,
            "\(reason); correct the field, which lists packages as in 'libc6 (>= 2.36), debconf | cdebconf'")
    }
}
