import NIOHTTP1

extension HTTPHeaders {
    /// Whether the client accepts answers that are compressed with gzip, by RFC 9110 12.5.3.
    var acceptGzip: Bool {
        let accepted = self["Accept-Encoding"].joined(separator: ",")
        var qualities: [String: Double] = [:]
        for item in accepted.split(separator: ",") {
            let parts = item.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            guard let coding = parts.first else { continue }
            let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 }
            qualities[coding] = quality ?? 1
        }
        return (qualities["gzip"] ?? qualities["x-gzip"] ?? qualities["*"] ?? 0) > 0
    }
}
