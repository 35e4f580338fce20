package import MockAPNSCore

/// What a call asks of a recording.
package enum RecordingOrder: String, Sendable, CaseIterable {
    /// To begin.
    case start
    /// To end, and become a scenario.
    case stop
}

extension Scenario {
    /// Reads what to do with a recording: `{"state": "start"}`.
    package func recordingOrder(from value: JSONText.Value) -> (RecordingOrder?, [ScenarioMistake]) {
        enum Key: String, CaseIterable { case state }
        return read { reader in
            var order: RecordingOrder?
            let isObject = reader.object(
                value, "an order to a recording", example: #"{"state": "start"}"#, Key.self
            ) { reader, _, value in order = reader.word(value, RecordingOrder.self) }
            if isObject, value["state"] == nil {
                reader.missing("state", in: value, expected: "\"start\" or \"stop\"")
            }
            return order
        }
    }
}
