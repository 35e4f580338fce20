extension ScenarioMistakesTests {
    static let conditionsCases: [Case] = [
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""rules":[{"when":{»"devise":"alice"},"then":{"pass":true}}]}"#,
            #"rules[0].when.devise is not a known field; did you mean "device"?"#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""rules":[{"when":{"device":»"alcie"},"then":{"pass":true}}]}"#,
            #"when.device is "alcie", but no device has that name; did you mean "alice"?"#, crossReference: true),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""rules":[{"when":{"device":»{"prefix":"bob"}},"then":{"pass":true}}]}"#,
            #"can never hold"#, crossReference: true),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""rules":[{"when":{"device":"alice",»"token":"TOKEN00"},"then":{"pass":true}}]}"#,
            #"when.token contradicts "device""#, crossReference: true),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""rules":[{"when":{"pushType":»"alret"},"then":{"pass":true}}]}"#,
            #"when.pushType is "alret"; expected a push type: "alert", "background""#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""rules":[{"when":{"pushType":{"oneOf":["alert",»"voi"]}},"then":{"pass":true}}]}"#,
            #"when.pushType.oneOf[1] is "voi""#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"rules":[{"when":{"priority":»7},"then":{"pass":true}}]}"#,
            #"when.priority is 7; expected 10, 5 or 1"#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""rules":[{"when":{"priority":»"10"},"then":{"pass":true}}]}"#,
            #"when.priority is "10"; expected 10, 5 or 1"#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""rules":[{"when":{"priority":»{"atLeast":11}},"then":{"pass":true}}]}"#,
            #"when.priority can never hold"#, crossReference: true),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"rules":[{"when":{"topic":»5},"then":{"pass":true}}]}"#,
            #"when.topic is 5; expected a string, or a matcher"#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""rules":[{"when":{"topic":{"oneOf":»[]}},"then":{"pass":true}}]}"#,
            #"when.topic.oneOf is a list of 0; expected at least one element"#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"rules":[{"when":{"topic":»{}},"then":{"pass":true}}]}"#,
            #"when.topic has no condition; expected "equals", "prefix""#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""rules":[{"when":{"topic":{»"prefx":"a"}},"then":{"pass":true}}]}"#,
            #"when.topic.prefx is not a key of a matcher; did you mean "prefix"?"#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""rules":[{"when":{"topic":{"prefix":"a",»"contains":"b"}},"then":{"pass":true}}]}"#,
            #"when.topic.contains cannot be combined with "prefix""#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""rules":[{"when":{"topic":{"atLeast":»1}},"then":{"pass":true}}]}"#,
            #"when.topic.atLeast is for numbers, but the field is a text"#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""rules":[{"when":{"payloadBytes":{"prefix":»"1"}},"then":{"pass":true}}]}"#,
            #"is for texts, but the field is a number"#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""rules":[{"when":{"payloadBytes":{"atLeast":5,»"atMost":4}},"then":{"pass":true}}]}"#,
            #"when.payloadBytes.atMost is less than "atLeast""#, crossReference: true),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""rules":[{"when":{"connection":»0},"then":{"pass":true}}]}"#,
            #"when.connection is 0; expected a whole number from 1"#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""rules":[{"when":{"inFlight":»{"exists":false}},"then":{"pass":true}}]}"#,
            #"when.inFlight can never hold"#, crossReference: true),
        Case(
            #"{"rules":[{"when":{"sentBy":»{"exists":false}},"then":{"pass":true}}]}"#,
            #"when.sentBy can never hold"#, crossReference: true),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""rules":[{"when":{"inFlight":{"atMost":»1.5}},"then":{"pass":true}}]}"#,
            #"expected a whole number"#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""rules":[{"when":{"topic":{"matches":»"a[b"}},"then":{"pass":true}}]}"#,
            #"does not compile: missing terminating ] for character class at character 4; expected a regular"#,
            crossReference: true),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""rules":[{"when":{"topic":{"matches":»"(a"}},"then":{"pass":true}}]}"#,
            #"which does not compile: missing closing parenthesis at character 3; expected a regular"#,
            crossReference: true),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""rules":[{"when":{"payload":{»"aps/alert":1}},"then":{"pass":true}}]}"#,
            #"not a JSON Pointer; expected a path such as /aps/alert/title; did you mean "/aps/alert"?"#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""rules":[{"when":{»"deviceToken":"a"},"then":{"pass":true}}]}"#,
            #"when.deviceToken is not a known field; did you mean "token"?"#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""rules":[{"when":{»"bundleId":"a"},"then":{"pass":true}}]}"#,
            #"when.bundleId is not a known field; did you mean "topic"?"#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""rules":[{"when":{»"apns-push-type":"alert"},"then":{"pass":true}}]}"#,
            #"is not a known field; did you mean "pushType"?"#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""rules":[{"when":{"topic":{»"regex":"a"}},"then":{"pass":true}}]}"#,
            #"when.topic.regex is not a key of a matcher; did you mean "matches"?"#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""rules":[{"when":{"topic":{»"startsWith":"a"}},"then":{"pass":true}}]}"#,
            #"did you mean "prefix"?"#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""rules":[{"when":{"topic":{»"endsWith":"a"}},"then":{"pass":true}}]}"#,
            #"did you mean "matches" with a pattern that begins with ".*"?"#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""rules":[{"when":{"payloadBytes":{»"gte":1}},"then":{"pass":true}}]}"#,
            #"did you mean "atLeast"?"#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""rules":[{"when":{"payloadBytes":{»"lt":9}},"then":{"pass":true}}]}"#,
            #"did you mean "atMost", which includes its bound?"#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""rules":[{"when":{"payload":{»"aps.alert":1}},"then":{"pass":true}}]}"#,
            #"is not a JSON Pointer; expected a path such as /aps/alert/title; did you mean "/aps/alert"?"#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""rules":[{"when":{"payload":{»"$.aps.alert":1}},"then":{"pass":true}}]}"#,
            #"is not a JSON Pointer; expected a path such as /aps/alert/title; did you mean "/aps/alert"?"#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""rules":[{"when":{"payload":{»"\u0023/aps/alert":1}},"then":{"pass":true}}]}"#,
            #"is not a JSON Pointer; expected a path such as /aps/alert/title; did you mean "/aps/alert"?"#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""rules":[{"when":{"payload":{»"aps['alert']":1}},"then":{"pass":true}}]}"#,
            #"is not a JSON Pointer; expected a path such as /aps/alert/title; did you mean "/aps/alert"?"#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""rules":[{"when":{"payload":{»"alert":1}},"then":{"pass":true}}]}"#,
            #"is not a JSON Pointer; expected a path such as /aps/alert/title; did you mean "/aps/alert"?"#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""rules":[{"when":{"payload":{»"body":1}},"then":{"pass":true}}]}"#,
            #"is not a JSON Pointer; expected a path such as /aps/alert/title; did you mean "/aps/alert/body"?"#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""rules":[{"when":{"payload":{»"data.score":1}},"then":{"pass":true}}]}"#,
            #"is not a JSON Pointer; expected a path such as /aps/alert/title; did you mean "/data/score" or "/data.score"?"#
        ),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""rules":[{"when":{"payload":{»"score":1}},"then":{"pass":true}}]}"#,
            #"is not a JSON Pointer; expected a path such as /aps/alert/title; did you mean "/score"?"#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""rules":[{"when":{"payload":{"/aps":{»"titel":1}}},"then":{"pass":true}}]}"#,
            #"when.payload["/aps"].titel is not a key of a matcher"#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""rules":[{"when":{"payload":{"/aps":»[1]}},"then":{"pass":true}}]}"#,
            #"is a list; expected a string, a number, true, false, null or a matcher"#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""rules":[{"when":{"header":{»"apns topic":"x"}},"then":{"pass":true}}]}"#,
            #"when.header["apns topic"] is not the name of a header field"#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"#
                + #""rules":[{"when":{"header":{"x":»1}},"then":{"pass":true}}]}"#,
            #"when.header.x is 1; expected a string"#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"rules":[{"when":{»"status":200},"then":{"pass":true}}]}"#,
            #"when.status is not known before a rule decides"#),
        Case(
            #"{"devices":[{"name":"alice","token":"TOKEN"}],"rules":[{"when":{"on":»"conect"},"then":{"pass":true}}]}"#,
            #"did you mean "connect"?"#),
        Case(
            #"{"rules":[{"when":{"on":"connect",»"topic":"a"},"then":{"pass":true}}]}"#,
            #"when.topic is a field of a push, but the rule is on connect"#),
    ]

    static let rulesCases: [Case] = [
        Case(#"{"rules":[»{"when":{}}]}"#, #"rules[0] has no "then""#),
        Case(#"{"rules":[{"then":»[]}]}"#, #"rules[0].then is a list of 0"#),
        Case(
            #"{"rules":[{"then":{"pass":true},"times":»0}]}"#,
            #"rules[0].times is 0; expected a whole number from 1"#),
        Case(#"{"rules":[{"then":{"pass":true},"every":»0}]}"#, #"rules[0].every is 0"#),
        Case(#"{"rules":[{"then":{"pass":true},"skip":»-1}]}"#, #"rules[0].skip is -1"#),
        Case(
            #"{"rules":[{"then":{"pass":true},"probability":»0}]}"#,
            #"rules[0].probability is 0; expected a number above 0, up to 1"#),
        Case(#"{"rules":[{"then":{"pass":true},"probability":»1.1}]}"#, #"rules[0].probability is 1.1"#),
        Case(#"{"rules":[{"then":{"pass":true},"repeat":»"cylce"}]}"#, #"did you mean "cycle"?"#),
        Case(#"{"rules":[{"then":{"pass":true},"countPer":»"tokn"}]}"#, #"did you mean "token"?"#),
        Case(#"{"rules":[{"then":{"pass":true},"count":»"replca"}]}"#, #"did you mean "replica"?"#),
        Case(
            #"{"rules":[{"then":{"pass":true},"times":»"3"},{"then":{"stall":true}}]}"#,
            #"rules[0].times is "3""#),
        Case(
            #"{"rules":[{"then":[{"pass":true},{"pass":true}],»"times":1}]}"#,
            #"times is 1, so only the first of the 2 steps"#, crossReference: true),
        Case(
            #"{"rules":[{"name":"a","times":1,"then":{"pass":true}},{"name":»"a","then":{"pass":true}}]}"#,
            #"rules[1].name is "a", which is already the name of another rule"#, crossReference: true),
        Case(
            #"{"rules":[{"then":{"pass":true}},»{"then":{"stall":true}}]}"#,
            #"rules[1] can never match: rules[0] before it decides every push, forever"#, crossReference: true),
        Case(
            #"{"rules":[{"when":{"topic":"a"},"then":{"pass":true}},»{"when":{"topic":"a"},"then":{"stall":true}}]}"#,
            #"rules[1] can never match: rules[0] before it decides the same"#, crossReference: true),
    ]
}
