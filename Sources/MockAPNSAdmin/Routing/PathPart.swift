import Hummingbird

extension BasicRequestContext {
    /// A part of the path that stands for something, without its percent-encoding.
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
    /// The text with `%20` as what it stands for; `nil` when it is no UTF-8, or a percent sign has no two digits. (It is
    /// in Foundation, but not in its essentials.)
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
