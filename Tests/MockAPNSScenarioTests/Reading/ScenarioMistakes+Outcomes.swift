extension ScenarioMistakesTests {
    static let stepsCases: [Case] = [
        Case(#"{"rules":[{"then":»{"delay":"1s"}}]}"#, #""pass": true lets the checks decide"#),
        Case(#"{"rules":[{"then":»{}}]}"#, #"rules[0].then has no outcome; expected exactly one of "pass", "reject""#),
        Case(#"{"rules":[{"then":{"pass":true,»"stall":true}}]}"#, #"then.stall is a second outcome beside "pass""#),
        Case(#"{"rules":[{"then":{"pass":»false}}]}"#, #"then.pass is false; expected true"#),
        Case(
            #""#
                + #"{"rules":[{"then":{"reject":»"TooManyRequest"}}]}"#,
            #"then.reject is "TooManyRequest"; expected a reason of APNs, such as "TooManyRequests""#),
        Case(
            #"{"rules":[{"then":{»"rejct":"BadTopic"}}]}"#,
            #"then.rejct is not a key of a step; did you mean "reject"?"#),
        Case(#"{"rules":[{"then":[{"pass":true},{"reject":»1}]}]}"#, #"rules[0].then[1].reject is 1"#),
        Case(
            #"{"rules":[{"then":{"reject":»503}}]}"#,
            #"reject is 503; expected a reason of APNs, such as "ServiceUnavailable" for 503; "respond": {"status": 503}"#
        ),
        Case(
            #"{"rules":[{"then":{"reject":»"410"}}]}"#, #"such as "Unregistered" for 410"#),
        Case(#"{"rules":[{"then":{"reject":»502}}]}"#, #"expected a reason of APNs; "respond": {"status": 502}"#),
        Case(
            #"{"rules":[{"then":{"outage":{"for":"1s","reason":»503}}}]}"#,
            #"reason is 503; expected a reason of APNs, such as "ServiceUnavailable" for 503"#),
        Case(#"{"rules":[{"then":{"respond":»{}}}]}"#, #"then.respond has no "status""#),
        Case(
            #"{"rules":[{"then":{"respond":{"status":»99}}}]}"#,
            #"then.respond.status is 99; expected an HTTP status from 200 to 599"#),
        Case(
            #"{"rules":[{"then":{"respond":{"status":200,"headers":{»":status":"1"}}}}]}"#,
            #"the status has its own key"#),
        Case(
            #"{"rules":[{"then":{"respond":{"status":200,"headers":{"a":»"b\n"}}}}]}"#,
            #"without control characters"#),
        Case(
            #"{"rules":[{"then":{"respond":{"status":200,"body":»5}}}]}"#,
            #"expected a string, or an object or list"#),
        Case(#"{"rules":[{"then":{"resetStream":»"REFUSED"}}]}"#, #"expected an error code of HTTP/2"#),
        Case(#"{"rules":[{"then":{"resetStream":[»"REFUSED_STREM"]}}]}"#, #"did you mean "REFUSED_STREAM"?"#),
        Case(
            #"{"rules":[{"then":{"goAway":{"reason":"Shutdown",»"text":"x"}}}]}"#,
            #"then.goAway.text contradicts "reason""#),
        Case(#"{"rules":[{"then":{"goAway":{"lastStream":»"thsi"}}}]}"#, #"did you mean "this"?"#),
        Case(
            #"{"rules":[{"then":{"goAway":[{»"then":"close"},{}]}}]}"#,
            #"is in a frame before the last"#, crossReference: true),
        Case(#"{"rules":[{"then":{"goAway":{»"beforeSettings":true}}}]}"#, #"is only for rules with "on": "connect""#),
        Case(#"{"rules":[{"then":{"close":»"rst"}}]}"#, #"expected "end", "truncate", "reset" or "silent""#),
        Case(#"{"rules":[{"then":{"outage":»{"reason":"Shutdown"}}}]}"#, #"then.outage has no "for""#),
        Case(#"{"rules":[{"then":{"hostile":»"emptybody"}}]}"#, #"did you mean "emptyBody"?"#),
        Case(
            #"{"rules":[{"when":{"on":"connect"},"then":{"tlsAlert":»"certificate_expird"}}]}"#,
            #"did you mean "certificate_expired"?"#),
        Case(
            #"{"rules":[{"when":{"on":"connect"},"then":{»"reject":"BadTopic"}}]}"#,
            #"then.reject cannot be combined with "on": "connect""#),
        Case(
            #"{"rules":[{"when":{"on":"connect"},"then":{"pass":true,»"drip":{"bytes":1,"every":"1ms"}}}]}"#,
            #"then.drip cannot be combined with "on": "connect"; expected "pass", "stall","#),
        Case(
            #"{"rules":[{"when":{"on":"connect"},"then":{"stall":true,»"delay":"1s"}}]}"#,
            #"then.delay contradicts "stall""#),
        Case(#"{"rules":[{"then":{»"ignore":true}}]}"#, #"then.ignore cannot be combined with "on": "push""#),
        Case(
            #"{"rules":[{"when":{"on":"ping"},"then":{"ignore":true,»"delay":"1s"}}]}"#,
            #"then.delay cannot be combined with "on": "ping""#),
        Case(
            #"{"rules":[{"when":{"on":"connect"},"then":{"goAway":{"lastStream":»"this"}}}]}"#,
            #"expected "zero" or "all""#),
        Case(#"{"rules":[{"then":{"pass":true,»"deliver":true}}]}"#, #"then.deliver contradicts "pass""#),
        Case(
            #"{"rules":[{"then":{"pass":true,»"retryAfter":1}}]}"#,
            #"then.retryAfter contradicts "pass"; use it with "reject", "respond", "outage" or "hostile""#),
        Case(#"{"rules":[{"then":{"pass":true,»"status":200}}]}"#, #"then.status contradicts "pass""#),
        Case(#"{"rules":[{"then":{"stall":true,»"delay":"1s"}}]}"#, #"then.delay contradicts "stall""#),
        Case(#"{"rules":[{"then":{"pass":true,"delay":»{}}}]}"#, #"then.delay has no distribution"#),
        Case(
            #"{"rules":[{"then":{"pass":true,"delay":{"uniform":»["2s","1s"]}}}]}"#,
            #"then.delay.uniform ends before it begins"#, crossReference: true),
        Case(
            #"{"rules":[{"then":{"pass":true,"delay":{"uniform":»["2s"]}}}]}"#,
            #"expected a list of the shortest and the longest delay"#),
        Case(
            #"{"rules":[{"then":{"pass":true,"delay":{"lognormal":{"median":"2s",»"p99":"1s"}}}}]}"#,
            #"p99 is less than "median""#, crossReference: true),
        Case(#"{"rules":[{"then":{"pass":true,"drip":»{"bytes":1}}}]}"#, #"then.drip has no "every""#),
        Case(
            #"{"rules":[{"then":{"pass":true,"settings":»{"for":"1s"}}}]}"#,
            #"settings has no "maxConcurrentStreams""#),
        Case(#"{"rules":[{"then":{"pass":true,"device":»{}}}]}"#, #"then.device changes nothing"#),
    ]

    static let timelineCases: [Case] = [
        Case(#"{"timeline":[»{"do":{"close":"end"}}]}"#, #"timeline[0] has no time"#),
        Case(#"{"timeline":[»{"at":"1s"}]}"#, #"timeline[0] has no "do""#),
        Case(#"{"timeline":[{"at":»5,"do":{"close":"end"}}]}"#, #"timeline[0].at is 5; expected a duration"#),
        Case(#"{"timeline":[{"after":»{"count":1},"do":{"close":"end"}}]}"#, #"timeline[0].after has no "requests""#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"timeline":[{"at":"1s","do":»{}}]}"#,
            #"timeline[0].do does nothing"#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""timeline":[{"at":"1s","do":{"close":"end",»"advance":"1s"}}]}"#,
            #"do.advance is a second action beside "close""#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""timeline":[{"at":"1s","do":{"device":»"bob","online":true}}]}"#,
            #"do.device is "bob", but no device has that name"#, crossReference: true),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"timeline":[{"at":"1s","do":»{"device":"alice"}}]}"#,
            #"changes nothing about the device"#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""timeline":[{"at":"1s","do":{"close":"end",»"online":true}}]}"#,
            #"do.online cannot be combined with "close""#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""timeline":[{"at":"1s","do":{"key":»"ABC123DEFH","revoked":true}}]}"#,
            #"but no key has that id; did you mean "ABC123DEFG"?"#, crossReference: true),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"timeline":[{"at":"1s","do":»{"key":"ABC123DEFG"}}]}"#,
            #"has no "revoked""#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"timeline":[{"at":"1s","do":{"advance":»"1h"}}]}"#,
            #"needs a manual clock"#, crossReference: true),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"timeline":[{"at":"1s","#
                + #""do":{"settings":{"maxConcurrentStreams":1},"connection":»0}}]}"#,
            #"do.connection is 0"#),
    ]

    static let expectationsCases: [Case] = [
        // A name may have a line end in it; the message has none.
        Case(
            #"{"rules":[{"name":"every\u2028matcher","then":{"reject":"Shutdown"}}],"#
                + #""expect":[{"requests":{"decidedBy":»"rule:every matcher"},"count":1}]}"#,
            #"no rule has that name; did you mean "rule:every\u{2028}matcher"?"#, crossReference: true),
        Case(#"{"devices":[{"name":"alice","token":"TOKEN"}],"expect":[»{}]}"#, #"expect[0] expects nothing"#),
        // What an unknown key may stand for is not missing as well.
        Case(
            #"{"expect":[{"requests":{},"count":{»"min":1}}]}"#,
            #"expect[0].count.min is not a key of a count; did you mean "atLeast"?"#),
        Case(
            #"{"expect":[{"requests":{},"count":{»"first":1}}]}"#,
            #"count.first is not a key of a count; expected "atLeast" or "atMost""#),
        Case(
            #"{"expect":[{"requests":{},»"atLeast":1}]}"#,
            #"expect[0].atLeast is not a key of an expectation; did you mean "count"?"#),
        Case(#"{"expect":[{»"foo":1}]}"#, #"expect[0].foo is not a key of an expectation; expected "name""#),
        Case(
            #"{"devices":[{"name":"alice"}],"expect":[{"device":"alice",»"foo":1}]}"#,
            #"expect[0].foo is not a key of an expectation"#),
        Case(#"{"rules":[{"then":{»"foo":1}}]}"#, #"rules[0].then.foo is not a key of a step"#),
        Case(#"{"rules":[{»"foo":1}]}"#, #"rules[0].foo is not a key of a rule"#),
        Case(#"{"devices":[{"rate":{»"foo":1}}]}"#, #"rate.foo is not a key of a rate"#),
        Case(#"{"timeline":[{»"foo":1}]}"#, #"timeline[0].foo is not a key of an entry of the timeline"#),
        Case(#"{"clock":{»"foo":1}}"#, #"clock.foo is not a key of a clock"#),
        Case(
            #"{"expect":[{"requests":{},"count":1,"distinct":»"aps.badge"}]}"#,
            #"or a JSON Pointer such as "/aps/badge"; did you mean "/aps/badge"?"#),
        Case(
            #"{"devices":[{"name":"alice"}],"expect":[{"device":"alice","displayed":[{»"aps.sound":"x"}]}]}"#,
            #"; did you mean "/aps/sound"?"#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"expect":[»{"requests":{}}]}"#,
            #"expect[0] has no "count""#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""expect":[{"requests":{"reason":»"BadTokens"},"count":1}]}"#,
            #"expect[0].requests.reason is "BadTokens""#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"expect":[{"requests":{"outcome":»"respond"},"count":1}]}"#,
            #"did you mean "responded"?"#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""expect":[{"requests":{"delivery":»"Delivered"},"count":1}]}"#,
            #"requests.delivery is "Delivered""#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""expect":[{"requests":{"decidedBy":»"rule:x"},"count":1}]}"#,
            #"but no rule has that name"#, crossReference: true),
        Case(
            #"{"expect":[{"requests":{"decidedBy":»"rule"},"count":1}]}"#,
            #"requests.decidedBy is "rule""#),
        Case(
            #"{"expect":[{"requests":{"decidedBy":»5},"count":1}]}"#,
            #"expected "checks", "device", "connection", "outage", "upstream" or "rule:NAME""#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"expect":[{"requests":{"on":»"ping"},"count":1}]}"#,
            #"the only trigger outside of rules"#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"expect":[{"requests":{},"count":»-1}]}"#,
            #"expect[0].count is -1; expected a count: a whole number from 0 to"#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""expect":[{"requests":{},"count":{"atLeast":2,»"atMost":1}}]}"#,
            #"no number can match"#, crossReference: true),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""expect":[{"requests":{},"count":1,"distinct":»"apnsId"}]}"#,
            #"did you mean "apnsID"?"#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"expect":[{"requests":{},"count":1,»"badge":1}]}"#,
            #"expect[0].badge cannot be combined with "requests""#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"expect":[{"inOrder":»[]}]}"#,
            #"expect[0].inOrder is a list of 0"#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"expect":[{"inOrder":[{}],»"count":1}]}"#,
            #"expect[0].count cannot be combined with "inOrder""#),
        Case(
            #"{"expect":[{"requests":{},"count":1,»"orNone":true}]}"#,
            #"expect[0].orNone cannot be used here: without "each", "count" says how many there may be; use it with "inOrder", "spacing", or "requests" and "each""#
        ),
        Case(
            #"{"expect":[{"lint":{},"count":0,»"orNone":true}]}"#,
            #"expect[0].orNone cannot be used here: findings always need a push to judge"#),
        Case(
            #"{"expect":[{"pings":0,»"orNone":true}]}"#,
            #"expect[0].orNone cannot be used here: "pings" has something to judge even if nothing was pushed"#),
        Case(
            #"{"expect":[{"inOrder":[{}],"orNone":»1}]}"#, #"expect[0].orNone is 1; expected true or false"#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"expect":[{"requests":{},"count":1,»"pings":1}]}"#,
            #"expect[0].pings cannot be combined with "requests""#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"expect":[{"spacing":»{"atLeast":"1s"}}]}"#,
            #"expect[0].spacing measures nothing"#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"expect":[{"spacing":»{"connections":true}}]}"#,
            #"expect[0].spacing has no bound"#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""expect":[{"spacing":{"connections":true,"atLeast":"2s",»"atMost":"1s"}}]}"#,
            #"no gap can match"#, crossReference: true),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""expect":[{"spacing":{»"connections":true,"atLeast":"2s"},"each":"token"}]}"#,
            #"contradicts "each""#, crossReference: true),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"expect":[»{"device":"alice"}]}"#,
            #"expects nothing of the device"#),
        Case(
            #"{"devices":[{"name":"a","token":"TOKEN"}],"expect":[{"device":"a","history":»{}}]}"#,
            #"history expects nothing; expected "shown", "woke", "#),
        Case(
            #"{"devices":[{"name":"a","token":"TOKEN"}],"expect":[{"device":"a","history":{»"wok":0}}]}"#,
            #"did you mean "woke"?"#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"expect":[{"device":»"alise","badge":1}]}"#,
            #"did you mean "alice"?"#, crossReference: true),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"expect":[{"device":"alice","displayed":[{»"aps":1}]}]}"#,
            #"expect[0].displayed[0].aps is neither a JSON Pointer such as /aps/alert/title nor "app", "title""#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""expect":[{"device":"alice","displayed":[{"/aps":{"atLeast":»"x"}}]}]}"#,
            #"expected a number"#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"expect":[{"nothingElse":»false}]}"#,
            #"expect[0].nothingElse is false; expected true"#),
        Case(#"{"expect":[»{"lint":{"severity":"error"}}]}"#, #"expect[0] has no "count""#),
        Case(
            #"{"expect":[{"lint":{"rule":»"bagde-type"},"count":0}]}"#,
            #"rule is "bagde-type"; expected a rule of lint, such as "badge-type"; did you mean "badge-type"?"#),
        Case(
            #"{"expect":[{"lint":{"severity":»"off"},"count":0}]}"#,
            #"severity is "off"; expected "note", "warning" or "error""#),
        Case(
            #"{"expect":[{"lint":{»"sequence":1},"count":0}]}"#,
            #"lint.sequence is not a key of a condition on findings; expected "rule" or "severity""#),
        Case(
            #"{"expect":[{"lint":»"error","count":0}]}"#,
            #"lint is "error"; expected a condition on findings, an object such as {"severity": "error"}"#),
        Case(
            #"{"expect":[{"lint":{},"count":0,»"distinct":"apnsID"}]}"#,
            #"distinct cannot be combined with "lint"; use it with "requests""#),
        Case(
            #"{"expect":[{"lint":{},"count":0,»"requests":{}}]}"#,
            #"requests cannot be combined with "lint"; expected one form in an expectation"#),
    ]
}
