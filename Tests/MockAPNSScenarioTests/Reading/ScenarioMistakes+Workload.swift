/// Mistakes in what a suite's driver is asked to do.
extension ScenarioMistakesTests {
    private static let alice = #""devices":[{"name":"alice","token":"TOKEN"}],"#

    static let workloadCases: [Case] = [
        Case(#"{"needs":[»"reconnect"]}"#, #"needs[0] is "reconnect"; expected "clientCertificate","#),
        Case(#"{"needs":»"retries"}"#, #"needs is "retries"; expected a list"#),
        Case(#"{"workload":»{}}"#, #"workload is an object; expected a list of entries"#),
        Case(#"{"workload":[»{"times":2}]}"#, #"workload[0] has no "push""#),
        Case(
            #"{"workload":[{"push":»{"topic":"com.example.app"}}]}"#,
            #"workload[0].push goes nowhere; expected "device" with the name of one, or "token""#),
        Case(#"{\#(alice)"workload":[{»"pushes":{"device":"alice"}}]}"#, #"did you mean "push"?"#),
        Case(
            #"{\#(alice)"workload":[{"push":{"device":»"alise"}}]}"#,
            #"push.device is "alise", but no device has that name; did you mean "alice"?"#, crossReference: true),
        Case(
            #"{\#(alice)"workload":[{"push":{"device":"alice",»"token":"TOKEN"}}]}"#,
            #"push.token contradicts "device""#),
        Case(#"{\#(alice)"workload":[{"push":{"device":"alice","pushType":»"alerts"}}]}"#, #"did you mean "alert"?"#),
        Case(#"{\#(alice)"workload":[{"push":{"device":"alice","priority":»7}}]}"#, #"is 7; expected 1, 5 or 10"#),
        Case(
            #"{\#(alice)"workload":[{"push":{"device":"alice","expiration":»-1}}]}"#,
            #"expected seconds since 1970, or a duration such as "1h""#),
        Case(
            #"{\#(alice)"workload":[{"push":{"device":"alice","expiration":»"soon"}}]}"#, #"expected a duration"#),
        Case(
            #"{\#(alice)"workload":[{"push":{"device":"alice","payload":»"text"}}]}"#,
            #"payload is "text"; expected an object such as {"aps""#),
        Case(#"{\#(alice)"workload":[{"push":{"device":"alice"},"times":»0}]}"#, #"from 1 to 1000"#),
        Case(#"{\#(alice)"workload":[{"push":{"device":"alice"},"wait":»1}]}"#, #"wait is 1; expected a duration"#),
        Case(
            #"{\#(alice)"workload":[{"push":{"device":"alice"},"after":»"all"}]}"#,
            #"waits for earlier entries, but this is the first"#, crossReference: true),
        Case(
            #"{\#(alice)"workload":[{"push":{"device":"alice"}},{"push":{"device":"alice"},"after":[»1]}]}"#,
            #"after[0] is 1; expected the number of an earlier entry, 0"#, crossReference: true),
        Case(
            #"{\#(alice)"workload":[{"push":{"device":"alice"}},{"push":{"device":"alice"},"after":»[]}]}"#,
            #"expected at least one element"#),
        Case(
            #"{\#(alice)"workload":[{"push":{"device":"alice"}},{"push":{"device":"alice"},"after":»"each"}]}"#,
            #"after is "each"; expected "all", or a list of numbers of earlier entries"#),
        Case(
            #"{\#(alice)"workload":[{"push":{"device":"alice"}},{"push":{"device":"alice"},"after":[»-1]}]}"#,
            #"expected the number of an entry"#),
    ]
}
