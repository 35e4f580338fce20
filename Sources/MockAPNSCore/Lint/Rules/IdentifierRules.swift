// Identifiers: strings that the app compares with its own.
extension PayloadLint {
    mutating func checkIdentifiers() {
        for key in [ApsKey.threadID, .category, .targetContentID, .filterCriteria, .attributesType] {
            guard let value = aps[key], value.string == nil else { continue }
            reportType(.stringKeyType, at: "/aps/\(key.rawValue)", value, takes: "a string")
        }
        if let value = alert[.launchImage], value.string == nil {
            reportType(.stringKeyType, at: "/aps/alert/launch-image", value, takes: "a string")
        }
        guard let value = aps[.category], let category = value.string, let known = app?.categories, !known.isEmpty,
            known[category] == nil
        else { return }
        let names = known.keys.sorted()
        let some = names.prefix(3).map { "\"\($0.cut(at: 40))\"" }.joined(separator: ", ")
        let right = nearestWord(to: category, among: names).map { "did you mean \"\($0)\"?" }
        report(
            .categoryUnknown, at: "/aps/category", value.offset,
            "/aps/category is \(value.asFound), which is no category of the app; "
                + (right ?? "expected one of them, such as \(some)"))
    }
}
