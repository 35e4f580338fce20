import MockAPNSCore
package import MockAPNSScenario

/// A mistake in a scenario file for programs: one JSON object.
package struct MistakeLine: Sendable {
    /// The object, without a line feed.
    package let json: String

    /// Creates the line for a mistake in a file with this text.
    package init(_ mistake: ScenarioMistake, in file: String, _ text: [UInt8]) {
        let position = JSONText.position(of: min(mistake.offset, text.count), in: text.span)
        let object: JSONObject = [
            "file": file, "line": position.line, "column": position.column, "pointer": mistake.pointer,
            "message": mistake.message, "crossReference": mistake.isCrossReference,
        ]
        json = object.json
    }
}
