import Hummingbird

extension BasicRequestContext {
    /// Returns a variable part of the path, without its percent-encoding.
    func pathPart(_ name: String) throws -> String {
        let part = try parameters.require(name)
        guard let plain = part.withoutPercentEncoding else {
            throw APIError.badRequest(
                "badPath", "\"\(part.prefix(80))\" in the path is not valid percent-encoding.", pointer: "")
        }
        return plain
    }
}

extension String {
    /// The text with percent-encoding removed; `nil` if the result is not UTF-8, or a percent sign is not followed by
    /// two digits. (Foundation has this, but FoundationEssentials does not.)
    var withoutPercentEncoding: String? {
        var bytes: [UInt8] = []
        var rest = utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                let digits = rest.prefix(2)
                guard digits.count == 2, digits.first != UInt8(ascii: "+"),
                    let value = UInt8(Substring(digits), radix: 16)
                else { return nil }
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
