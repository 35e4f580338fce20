import MockAPNSCore

extension Request {
    /// The parameters of the URL, in order.
    ///
    /// - Throws: ``APIError`` for invalid percent-encoding.
    var parameters: [(name: String, value: String)] {
        get throws {
            try (query ?? "").split(separator: "&").map { part in
                let name = part.prefix { $0 != "=" }
                guard let plainName = String(name).withoutPercentEncoding,
                    let value = String(part.dropFirst(name.count + 1)).withoutPercentEncoding
                else {
                    throw APIError.badRequest(
                        "badParameter", "\"\(part.prefix(80))\" in the URL is not valid percent-encoding.", pointer: "")
                }
                return (name: plainName, value: value)
            }
        }
    }

    /// Returns the value of a parameter, the first if there are several; `nil` if it is absent.
    func parameter(_ name: String) throws -> String? { try parameters.first { $0.name == name }?.value }

    /// Returns the parameters of the URL as a query for a list.
    func pagedQuery<Query: PagedQuery>() throws -> Query { try Query(parameters: parameters) }
}

extension Request {
    /// Returns a parameter that is `true` or `false`.
    func flag(_ name: String, default absent: Bool = false) throws -> Bool {
        switch try parameter(name) {
        case nil: return absent
        case "false": return false
        case "true": return true
        case let value?:
            throw APIError.badRequest(
                "badParameter", "\(name) is \"\(value.prefix(80))\"; expected \"true\" or \"false\".",
                pointer: "/\(name)")
        }
    }

    /// Whether requests are asked for as rows, by `fields=row`.
    var asksForRows: Bool {
        get throws {
            switch try parameter("fields") {
            case nil: return false
            case "row": return true
            case let value?:
                throw APIError.badRequest(
                    "badParameter", "fields is \"\(value.prefix(80))\"; expected \"row\".", pointer: "/fields")
            }
        }
    }
}

extension Request {
    /// Refuses URL parameters that would otherwise be silently ignored: misspelled and repeated ones.
    func checkParameters(known: [String]) throws {
        var seen: Set<String> = []
        for (name, _) in try parameters {
            guard known.contains(name) else { throw QueryError(unknown: name, known: known) }
            guard seen.insert(name).inserted else { throw QueryError(repeated: name) }
        }
    }
}
