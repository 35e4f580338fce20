import Testing

@testable import MockAPNSCore
@testable import MockAPNSScenario

/// How the steps of a run are put into the text of a scenario.
@Suite struct RunStepsTests {
    /// A rule and an entry of the timeline.
    private static var steps: RunSteps {
        var steps = RunSteps()
        var element = ObjectText()
        element.add("name", "r")
        for list in [.rules, .timeline] as [RunSteps.List] { steps.add(list, element, "r", 1) }
        return steps
    }

    @Test("Lists that are missing follow the other members")
    func missingListsComeLast() throws {
        let made = try Self.steps.scenario(addedTo: Array(#"{"rules": [], "name": "x"}"#.utf8))
        let list = #"[\#n    {"name": "r"}\#n  ]"#
        #expect(String(decoding: made, as: UTF8.self) == #"{"rules": \#(list), "name": "x",\#n  "timeline": \#(list)}"#)
    }

    @Test("What is added to a timeline comes last, and a rule first")
    func placesInListsWithElements() throws {
        let made = try Self.steps.scenario(addedTo: Array(#"{"timeline": [1, 2], "rules": [3, 4]}"#.utf8))
        #expect(
            String(decoding: made, as: UTF8.self)
                == #"{"timeline": [1, 2,\#n    {"name": "r"}], "rules": [{"name": "r"},\#n    3, 4]}"#)
    }

    @Test("A scenario has a manual clock if the clock moved, and the seed if it is known", arguments: [true, false])
    func clockAndSeedOfAScenario(isKnown: Bool) throws {
        var steps = Self.steps
        steps.movesClock = isKnown
        let made = try JSONText.read(try steps.scenario(ofRunWith: isKnown ? 7 : nil))
        #expect(made["clock"]?.text == (isKnown ? #"{"manual":"now"}"# : nil))
        #expect(made["seed"]?.int64 == (isKnown ? 7 : nil))
    }

    @Test("A note is told once, and no more than 1000 are")
    func notesAreBounded() {
        var steps = RunSteps()
        for _ in 0..<2 { steps.note("note 0") }
        #expect(steps.notes == ["note 0"])
        for number in 1...1000 { steps.note("note \(number)") }
        #expect(steps.notes.count == 1000)
    }
}
