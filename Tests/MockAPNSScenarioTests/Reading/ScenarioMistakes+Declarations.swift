extension ScenarioMistakesTests {
    static let jsonCases: [Case] = [
        Case(#"»"#, #"expected a value, found the end"#),
        Case(#"{"name":"x",»}"#, #"expected another key after the comma"#),
        Case(#"{"name":"x"\#n»"seed":1}"#, #"expected a comma or }"#),
        Case(#"{"name":"x",»"name":"y"}"#, #"expected each key once, found "name" again"#, crossReference: true),
        Case(
            #"{"name":»“x”}"#,
            #"this text begins with the typographic quotation mark “ (U+201C); JSON has only straight"#),
        Case(#"{»‘name’:"x"}"#, #"this text begins with the typographic quotation mark ‘ (U+2018)"#),
        Case(
            #"{"name»”: 5}"#, #"expected a straight quotation mark (") at the end of the text, found the typographic"#),
        Case(
            #"{"name": "x»”, "seed": 1}"#,
            #"expected a straight quotation mark (") at the end of the text, found the typographic quotation mark ”"#),
        Case(#"»[]"#, #"the scenario is a list; expected an object such as"#),
    ]

    static let topLevelCases: [Case] = [
        Case(#"{»"devcies":[]}"#, #"devcies is not a key of a scenario; did you mean "devices"?"#),
        Case(#"{»"zzzzzz":1}"#, #"zzzzzz is not a key of a scenario; expected "$schema", "name""#),
        Case(#"{"name":»5}"#, #"name is 5; expected a name of 1 to 200 characters"#),
        Case(#"{"name":»""}"#, #"name is ""; expected a name"#),
        Case(#"{"description":»[]}"#, #"description is a list; expected a string"#),
        Case(#"{"environment":»"prodction"}"#, #"did you mean "production"?"#),
        Case(#"{"seed":»-1}"#, #"seed is -1; expected a whole number from 0"#),
        Case(#"{"seed":»18446744073709551616}"#, #"expected a whole number from 0 to 18446744073709551615"#),
        Case(#"{"seed":»1.5}"#, #"seed is 1.5"#),
        Case(#"{"clock":»"reall"}"#, #"did you mean "real"?"#),
        Case(#"{"clock":{"manual":»"yesterday"}}"#, #"clock.manual is "yesterday"; expected a time as in RFC 3339"#),
        Case(#"{"clock":{"manual":»"2026-02-29T00:00:00Z"}}"#, #"expected a time"#),
        Case(#"{"clock":»{}}"#, #"clock has no "manual""#),
        Case(
            #"{"clock":{"manual":"now","providerTokens":»"yes"}}"#,
            #"clock.providerTokens is "yes"; expected true or false"#),
        Case(#"{"clock":»{"providerTokens":true}}"#, #"clock has no "manual""#),
        Case(
            #"{"unusedRules":»"warn"}"#, #"unusedRules is "warn"; expected "report", "fail" or "ignore""#),
        Case(
            #"{"unknownDevices":»"rejct"}"#,
            #"unknownDevices is "rejct"; expected "register" or "reject"; did you mean "reject"?"#),
        Case(#"{"devices":»{}}"#, #"devices is an object; expected a list of devices"#),
        Case(#"{\#n  "rules": [\#n    »7\#n  ]\#n}"#, #"rules[0] is 7; expected a rule"#),
    ]

    static let appCases: [Case] = [
        Case(#"{"apps":[»{"name":"A"}]}"#, #"apps[0] has no "topic"; expected the app's bundle id"#),
        Case(
            #"{"apps":[{"topic":"a.b"},{»"topic":"a.b"}]}"#,
            #"apps[1].topic is already the topic of apps[0]"#, crossReference: true),
        Case(
            #"{"apps":[{"topic":"a.b","strings":»"de.json"}]}"#,
            #"expected {"en": {KEY: TEXT}}, or the path of a file that ends in .strings or .xcstrings"#),
        Case(
            #"{"apps":[{"topic":"a.b","strings":{"en":{"A":»1}}}]}"#,
            #"strings.en.A is 1; expected the text of the key"#),
        Case(
            #"{"apps":[{"topic":"a.b","strings":{"en":»[]}}]}"#,
            #"strings.en is a list; expected an object with a text"#),
        Case(#"{"apps":[{"topic":"a.b","categories":[»{}]}]}"#, #"categories[0] has no "id""#),
        Case(
            #"{"apps":[{"topic":"a.b","categories":[{"id":"X"},{»"id":"X"}]}]}"#, #"categories[1].id is repeated"#,
            crossReference: true),
        Case(
            #"{"apps":[{"topic":"a.b","categories":[{"id":"X","actions":[»{"destructive":true}]}]}]}"#,
            #"actions[0] has no "title"; expected the title of the button"#),
        Case(#"{"storage":»{}}"#, #"storage has no "perTopic""#),
        Case(#"{"storage":{"perTopic":»0}}"#, #"storage.perTopic is 0; expected a whole number from 1 to 1000"#),
    ]

    static let lintCases: [Case] = [
        Case(#"{"lint":»[]}"#, #"lint is a list; expected an object such as {"failOn": "error"}"#),
        Case(#"{"lint":{»"rule":{}}}"#, #"lint.rule is not a key of "lint"; did you mean "rules"?"#),
        Case(#"{"lint":{"rules":»[]}}"#, #"lint.rules is a list; expected an object with a setting for each rule"#),
        Case(
            #"{"lint":{"rules":{»"bagde-type":"off"}}}"#,
            #"lint.rules["bagde-type"] is not a rule of lint; did you mean "badge-type"?"#),
        Case(#"{"lint":{"rules":{»"zzz":"off"}}}"#, #"expected one such as "badge-type""#),
        Case(
            #"{"lint":{"rules":{"badge-type":»"warn"}}}"#,
            #"is "warn"; expected "off", "note", "warning" or "error", or {"severity": …, "threshold": …}"#),
        Case(#"{"lint":{"rules":{"badge-type":{"severity":»1}}}}"#, #"severity is 1; expected "off", "note""#),
        Case(
            #"{"lint":{"rules":{"badge-type":{"threshold":»1}}}}"#,
            #"threshold is set, but badge-type has no threshold"#),
        Case(
            #"{"lint":{"rules":{"payload-near-limit":{"threshold":»0}}}}"#,
            #"threshold is 0; expected a percentage from 1 to 100"#),
        Case(#"{"lint":{"rules":{"timestamp-past":{"threshold":»60}}}}"#, #"threshold is 60; expected a duration"#),
        Case(#"{"lint":{"thresholds":{»"timestampPats":"1m"}}}"#, #"did you mean "timestampPast"?"#),
        Case(#"{"lint":{"thresholds":{"timestampPast":»1}}}"#, #"timestampPast is 1; expected a duration"#),
        Case(
            #"{"lint":{"thresholds":{»"timestampPast":"1m"},"rules":{"timestamp-past":{"threshold":"2m"}}}}"#,
            #"is set by the rule "timestamp-past" already"#, crossReference: true),
        Case(#"{"lint":{"failOn":»"errors"}}"#, #"failOn is "errors"; expected "error", "warning", "note" or "never""#),
        Case(
            #"{"lint":{"deploymentTarget":»"16"}}"#,
            #"deploymentTarget is "16"; expected a system with its version, such as "iOS 16""#),
    ]

    static let authenticationCases: [Case] = [
        Case(
            #"{"authentication":{"mode":»"verfy"}}"#,
            #"authentication.mode is "verfy"; expected "verify", "decode" or "none"; did you mean "verify"?"#),
        Case(#"{"authentication":{»"temas":[]}}"#, #"did you mean "teams"?"#),
        Case(
            #"{"authentication":{"teams":»[]}}"#,
            #"authentication.teams is a list of 0; expected at least one element"#),
        Case(#"{"authentication":{"teams":[»{"teamID":"T"}]}}"#, #"authentication.teams[0] has no "keys""#),
        Case(
            #"{"authentication":{"teams":[{"teamID":"T","#
                + #""keys":[{"keyID":"K"}]},{"teamID":»"T","keys":[{"keyID":"L"}]}]}}"#,
            #"teams[1].teamID is "T", which is already the id of another team"#, crossReference: true),
        Case(#"{"authentication":{"teams":[{"teamID":"T","keys":[»{}]}]}}"#, #"keys[0] has no "keyID""#),
        Case(
            #"{"authentication":{"teams":[{"teamID":"T","keys":[{"keyID":»"K/1"}]}]}}"#,
            #"expected the id of a key: 1 to 64 letters and digits"#),
        Case(
            #"{"authentication":{"teams":[{"teamID":"T","keys":[{"keyID":"K"},{"keyID":»"K"}]}]}}"#,
            #"keys[1].keyID is "K", which is already the id of another key"#, crossReference: true),
        Case(
            #"{"authentication":{"teams":[{"teamID":"T","keys":[{"keyID":"K","file":"a",»"pem":"-----BEGIN X"}]}]}}"#,
            #"keys[0].pem contradicts "file""#),
        Case(
            #"{"authentication":{"teams":[{"teamID":"T","keys":[{"keyID":"K","pem":»"hello"}]}]}}"#,
            #"expected PEM text"#),
        Case(
            #"{"authentication":{"teams":[{"teamID":"T","keys":[{"keyID":"K","environments":[»"sandbx"]}]}]}}"#,
            #"environments[0] is "sandbx""#),
        Case(
            #"{"authentication":{"teams":[{"teamID":"T","#
                + #""keys":[{"keyID":"KEY1","related":»"KEY2"},{"keyID":"KEY3"}]}]}}"#,
            #"keys[0].related is "KEY2"; expected the id of a key of the same team"#, crossReference: true),
        Case(
            #"{"authentication":{"teams":[{"teamID":"T","keys":[{"keyID":"K","related":»"K"}]}]}}"#,
            #"expected the id of another key"#, crossReference: true),
        Case(
            #"{"authentication":{"teams":[{"teamID":"T","keys":[{"keyID":"K","topics":[»"com..x"]}]}]}}"#,
            #"topics[0] is "com..x"; expected a topic"#),
        Case(#"{"authentication":{"providerTokenLifetime":»"0s"}}"#, #"expected a duration greater than zero"#),
        Case(
            #"{"authentication":{"providerTokenUpdates":»true}}"#,
            #"providerTokenUpdates is true; expected false, or an object"#),
        Case(
            #"{"authentication":{"providerTokenUpdates":{"allowed":»0}}}"#,
            #"allowed is 0; expected a whole number from 1"#),
        Case(#"{"authentication":{"providerTokenUpdates":{"scope":»"teem"}}}"#, #"did you mean "team"?"#),
        Case(
            #"{"authentication":{"clientCertificates":{"revoked":[»"xyz"]}}}"#,
            #"expected the serial number of a certificate"#),
    ]

    static let connectionCases: [Case] = [
        Case(#"{"connection":{»"maxConcurrentStream":1}}"#, #"did you mean "maxConcurrentStreams"?"#),
        Case(#"{"connection":{"maxConcurrentStreams":»-1}}"#, #"expected a whole number from 0 to 2147483647"#),
        Case(#"{"connection":{"idle":»{"after":"1h"}}}"#, #"connection.idle has no "then""#),
        Case(#"{"connection":{"idle":{"after":"1h","then":»"goaway"}}}"#, #"did you mean "goAway"?"#),
        Case(#"{"connection":{"closeAfterErrors":»0}}"#, #"closeAfterErrors is 0"#),
        Case(
            #"{"connection":{"wedgeAfterExpiredToken":»"yes"}}"#,
            #"wedgeAfterExpiredToken is "yes"; expected true or false"#),
        Case(#"{"responses":{"foreignTopic":»"BadTopik"}}"#, #"did you mean "BadTopic"?"#),
        Case(#"{"responses":{"invalidJSON":»"acept"}}"#, #"did you mean "accept"?"#),
    ]

    static let devicesCases: [Case] = [
        Case(#"{"devices":[{"name":»""}]}"#, #"devices[0].name is ""; expected a name"#),
        Case(
            #"{"devices":[{"token":"TOKEN",»"onlin":true}]}"#,
            #"devices[0].onlin is not a key of a device; did you mean "online"?"#),
        Case(#"{"devices":[{"token":»"abc"}]}"#, #"devices[0].token has 3 digits; expected a device token"#),
        Case(
            #"{"devices":[{"token":»"zzfc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"}]}"#,
            #"has a character that is not a hexadecimal digit"#),
        Case(
            #"{"devices":[{"name":"a","token":"TOKEN"},{"name":"b","token":»"TOKEN"}]}"#,
            #"devices[1].token is already the token of devices[0]"#, crossReference: true),
        Case(
            #"{"devices":[{"name":"a","token":"TOKEN"},{"name":»"a","token":"TOKEN00"}]}"#,
            #"devices[1].name is "a", which is already the name of devices[0]"#, crossReference: true),
        Case(
            #"{"devices":[{"token":"TOKEN","topic":"a",»"topics":["b"]}]}"#,
            #"devices[0].topics contradicts "topic""#),
        Case(#"{"devices":[{"token":"TOKEN","topics":»[]}]}"#, #"expected at least one element"#),
        Case(
            #"{"devices":[{"token":"TOKEN","environment":»"serverName"}]}"#,
            #"expected "sandbox", "production" or "development""#),
        Case(#"{"devices":[{"token":"TOKEN","power":»"savng"}]}"#, #"did you mean "saving"?"#),
        Case(
            #"{"devices":[{"token":"TOKEN","registered":»"no"}]}"#,
            #"registered is "no"; expected true, false, {"unregisteredAt""#),
        Case(#"{"devices":[{"token":"TOKEN","registered":»{}}]}"#, #"registered has no time"#),
        Case(
            #"{"devices":[{"token":"TOKEN","registered":{"expiredAt":"2026-01-01T00:00:00Z",»"acceptFor":"1s"}}]}"#,
            #"contradicts "expiredAt""#),
        Case(#"{"devices":[{"token":"TOKEN","rate":»{"allowed":1}}]}"#, #"rate has no "per""#),
        Case(
            #"{"devices":[{"token":"TOKEN","rate":{"allowed":1,"per":»"5 s"}}]}"#,
            #"rate.per is "5 s"; expected a duration without the blank: "5s""#),
        Case(
            #"{"devices":[{"token":"TOKEN","rate":{"allowed":1,"per":»300}}]}"#,
            #"rate.per is 300; expected a duration with a unit, such as "300s""#),
        Case(
            #"{"devices":[{"token":"TOKEN","rate":{"allowed":1,"per":»"5min"}}]}"#,
            #"rate.per is "5min"; expected a duration with the unit m: "5m""#),
        Case(
            #"{"devices":[{"token":"TOKEN","rate":{"allowed":1,"per":»"soon"}}]}"#,
            #"rate.per is "soon"; expected a duration: a whole number with the unit ms, s, m, h or d"#),
        Case(
            #"{"devices":[{"token":"TOKEN","rate":{"allowed":1,"per":»"100000d"}}]}"#,
            #"expected at most 12 digits before ms"#),
    ]
}
