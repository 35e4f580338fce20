extension OutputSpan<UInt8> {
    /// Appends the name of a code, or the number of one without a name.
    @_lifetime(self: copy self)
    mutating func appendJSON(errorCode code: UInt32) {
        if let name = ErrorCode.name(of: code) { appendJSON(name) } else { appendJSON(Int64(code)) }
    }
}

extension [UInt8] {
    /// Appends the name of a code, or the number of one without a name.
    mutating func appendJSON(errorCode code: UInt32) {
        append(addingCapacity: 64) { $0.appendJSON(errorCode: code) }
    }
}

extension JSONText.Member {
    /// Returns an error code, by its name or number.
    func errorCode() throws(JSONText.Mistake) -> UInt32? {
        if let name = value.string, let code = ErrorCode.names.firstIndex(of: name) { return UInt32(code) }
        if value.isNull { return nil }
        guard let number = value.int64, 0...Int64(UInt32.max) ~= number else {
            throw mistake("an error code of HTTP/2: a name such as \"REFUSED_STREAM\", or a number")
        }
        return UInt32(number)
    }
}
