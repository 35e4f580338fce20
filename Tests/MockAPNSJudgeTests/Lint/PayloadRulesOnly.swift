@testable import MockAPNSCore
@testable import MockAPNSJudge

/// A scenario's `lint` that judges payloads alone, not what a provider does over a run; with a comma at the end.
///
/// - Parameters:
///   - members: further members of `lint`, with a comma at the beginning.
///   - rules: further members of its `rules`, likewise.
func payloadRulesOnly(_ members: String = "", rules: String = "") -> String {
    let off = LintRule.all.filter(\.isAboutProviders).map { "\"\($0.id)\": \"off\"" }
    return #""lint": {"rules": {\#(off.joined(separator: ", "))\#(rules)}\#(members)},"#
}
