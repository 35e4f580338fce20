import MockAPNSCore
import MockAPNSJudge

extension JSONPointer {
    /// Returns what a path in another notation was probably meant to be, the likeliest first: `/aps/alert` for
    /// `aps.alert`, `aps/alert`, `$.aps.alert`, `aps['alert']`, and for `alert` alone.
    static func corrections(of text: String) -> [JSONPointer] {
        guard !text.isEmpty, text.utf8.count <= 200 else { return [] }
        var path = text[...]
        if path.first == "#" || path.hasPrefix("$.") || path.hasPrefix("$[") {
            path.removeFirst()
        }
        if path.contains("/") {
            return [JSONPointer(path.first == "/" ? String(path) : "/\(path)")].compactMap { $0 }
        }
        let parts = path.split { ".[]'\"".contains($0) }.map(String.init)
        guard let first = parts.first else { return [] }
        if let start = start(of: first) { return [JSONPointer(start + parts)] }
        let likeliest = JSONPointer(parts)
        // The app's own keys may have dots in their names.
        let isOneKey = first != "aps" && path.count == text.count && !path.contains("[") && parts.count > 1
        return isOneKey ? [likeliest, JSONPointer([text])] : [likeliest]
    }

    /// Returns what a key of `aps`, or of its alert, is inside; `nil` for any other key.
    private static func start(of key: String) -> [String]? {
        if ApsKey(rawValue: key) != nil { return ["aps"] }
        return ["title", "subtitle", "body"].contains(key) ? ["aps", "alert"] : nil
    }

    /// Returns a hint for a text that is no pointer, such as `; did you mean "/aps/alert"?`; empty if none is likely.
    static func hint(for text: String) -> String {
        let pointers = corrections(of: text).map { "\"\($0.description.shortened)\"" }
        return pointers.isEmpty ? "" : "; did you mean \(pointers.joined(separator: " or "))?"
    }
}
