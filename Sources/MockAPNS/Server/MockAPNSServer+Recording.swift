package import MockAPNSCore
package import MockAPNSScenario

// A recording: what is done from its start on, and which pushes come, make a scenario.

/// Where a recording began.
package struct RecordingStart: Sendable {
    /// The scenario then, with the devices of that time and the rules that may still decide.
    let text: [UInt8]
    /// The rules that decide by their count of matches, and had counted some.
    let begunRules: [String]
    /// The position before its first event.
    package let position: EventPosition
    /// The real time.
    package let time: Timestamp
}

/// Why there is no recording to start or stop, as a sentence.
package struct RecordingRefusal: Error, CustomStringConvertible {
    package let description: String
}

/// What a recording came to.
package struct Recording: Sendable {
    /// Where it began.
    package let start: RecordingStart
    /// The latest request of it.
    package let end: Int
    /// What happened.
    package let steps: RunSteps
    /// The scenario with all of it.
    package let text: [UInt8]
}

extension MockAPNSServer {
    /// The start of the recording that is on; `nil` if none is.
    package var recordingStart: RecordingStart? { recording.withLock { $0 } }

    /// Starts a recording.
    ///
    /// - Throws: ``RecordingRefusal`` if one is on, and ``OutdatedScenario``.
    package func startRecording() async throws -> RecordingStart {
        // Rules, their counts and the position are of one moment: a push in between would be in none of them.
        var (position, begunRules) = (EventPosition(), [String]())
        let text = try await currentScenarioTextWithRulesLeft { [engine] gateway in
            begunRules = gateway.rulesBegun
            position = engine.latestEvent(in: gateway)
        }
        let start = RecordingStart(text: text, begunRules: begunRules, position: position, time: WallClock.now())
        let isFirst = recording.withLock { recording in
            if recording != nil { return false }
            recording = start
            return true
        }
        guard isFirst else {
            throw RecordingRefusal(description: "A recording is on already; stop it before you start another.")
        }
        return start
    }

    /// Ends the recording, and makes a scenario of it.
    ///
    /// - Throws: ``RecordingRefusal`` if none is on, or the server was reset meanwhile.
    package func stopRecording() async throws -> Recording {
        let taken = recording.withLock { recording in
            defer { recording = nil }
            return recording
        }
        guard let start = taken else {
            throw RecordingRefusal(description: "No recording is on; start one with {\"state\": \"start\"}.")
        }
        let events = events
        guard events.others.latestReset <= start.position.number else {
            throw RecordingRefusal(
                description:
                    "The server was reset while the recording was on, and its log is gone; start another recording.")
        }
        let scenario = try await BackgroundWork.run(.text(start.text.count)) { [self] stop in
            Scenario.read(start.text, trustedKeyIDs: configuration.trustedKeys.map(\.keyID), stop: stop).0
        }
        let steps = try await inSlices(
            RunReader(events, after: start.position, of: scenario ?? Scenario(), begunRules: start.begunRules))
        return Recording(
            start: start, end: events.latest.sequence, steps: steps, text: try steps.scenario(addedTo: start.text))
    }
}
