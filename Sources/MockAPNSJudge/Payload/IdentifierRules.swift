import MockAPNSCore

// Identifiers: strings that the app compares with its own.
extension LintRule {
    static let identifierRules = [stringKeyType, categoryUnknown]

    static let stringKeyType = LintRule(
        id: "string-key-type", severity: .error,
        finds: "`thread-id`, `category`, `target-content-id`, `filter-criteria`, `launch-image` or `attributes-type` "
            + "is not a string",
        effect: "It is ignored.", sources: [.generating],
        check: PayloadCheck(.aps) { lint in
            for key in [ApsKey.threadID, .category, .targetContentID, .filterCriteria, .attributesType] {
                guard let value = lint.aps[key], value.string == nil else { continue }
                lint.report(at: "/aps/\(key.rawValue)", value, expected: "a string")
            }
            if let value = lint.alert[.launchImage], value.string == nil {
                lint.report(at: "/aps/alert/launch-image", value, expected: "a string")
            }
        })

    static let categoryUnknown = LintRule(
        id: "category-unknown", severity: .warning, finds: "a category that the app does not have",
        effect: "The notification gets no buttons.", sources: [.guide],
        check: PayloadCheck(.aps) { lint in
            guard let value = lint.aps[.category], let category = value.string, let known = lint.app?.categories,
                !known.isEmpty, known[category] == nil
            else { return }
            let names = known.keys.sorted()
            let some = names.prefix(3).map { "\"\($0.cut(at: 40))\"" }.joined(separator: ", ")
            let right = nearestWord(to: category, among: names).map { "did you mean \"\($0)\"?" }
            lint.report(
                at: "/aps/category", value.offset,
                "/aps/category is \(value.asFound), which is no category of the app; "
                    + (right ?? "expected one of them, such as \(some)"))
        })
}
