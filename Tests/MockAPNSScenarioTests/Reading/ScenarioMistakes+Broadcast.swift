extension ScenarioMistakesTests {
    private static let token = String(repeating: "5e", count: 32)

    static let broadcastCases: [Case] = [
        Case(#"{"broadcast":»7}"#, #"broadcast is 7; expected an object such as {"limit": 100}"#),
        Case(#"{"broadcast":{»"enabeld":true}}"#, #"did you mean "enabled"?"#),
        Case(#"{"broadcast":{"enabled":»"yes"}}"#, #"expected true, false or a list of bundle ids"#),
        Case(
            #"{"broadcast":{"enabled":[»"a.b.voip"]}}"#,
            #"broadcast.enabled[0] ends with ".voip"; expected the bundle id alone"#),
        Case(#"{"broadcast":{"limit":»-1}}"#, #"expected a whole number from 0 to 1000000"#),
        Case(#"{"broadcast":{"unknownChannel":»"BadPath"}}"#, #"expected "BadChannelId" or "ChannelNotRegistered""#),
        Case(#"{"broadcast":{"unstoredExpiration":»"none"}}"#, #"expected "zero" or "nonZero""#),
        Case(#"{"channels":[»{"topic":"a.b"}]}"#, #"channels[0] has no "name"; expected a name for the channel"#),
        Case(#"{"channels":[»{"name":"a"}]}"#, #"channels[0] has no "topic"; expected the app's bundle id"#),
        Case(
            #"{"channels":[{"name":"a","topic":"a.b"},{"name":»"a","topic":"a.b"}]}"#,
            #"channels[1].name is "a", which is already the name of another channel"#, crossReference: true),
        Case(
            #"{"channels":[{"name":"a","topic":"a.b","channelID":"x"},{"name":"b","topic":"a.b","channelID":»"x"}]}"#,
            #"which is already the id of another channel"#, crossReference: true),
        Case(
            #"{"channels":[{"name":"a","topic":"a.b","channelID":»"a b"}]}"#,
            #"expected the id of a channel: 1 to 1000 printable characters without blanks"#),
        Case(#"{"channels":[{"name":"a","topic":"a.b","storage":»"all"}]}"#, #"expected "none" or "mostRecent""#),
        Case(
            #"{"rules":[{"when":{»"channel":"a"},"then":{"pass":true}}]}"#,
            #"is a field of calls about broadcast channels; expected "on": "broadcast" or "channels" beside it"#),
        Case(
            #"{"rules":[{"when":{"on":"broadcast",»"token":"ab"},"then":{"pass":true}}]}"#,
            #"is a field of pushes to devices, but the rule is on calls about broadcast channels"#),
        Case(
            #"{"rules":[{"when":{"on":"channels"},"then":{"pass":true,»"device":{"online":true}}}]}"#,
            #"cannot be combined with "on": "channels", because the request is not for a device"#),
        Case(#"{"timeline":[{"at":"1m","do":»{"topic":"a.b"}}]}"#, #"has no "broadcast"; expected true or false"#),
        Case(
            #"{"timeline":[{"at":"1m","do":{"topic":»"a.b.voip","broadcast":true}}]}"#,
            #"expected the bundle id alone"#),
        Case(
            #"{"channels":[{"name":"a","topic":"a.b"}],"expect":[»{"channel":"a"}]}"#,
            #"expects nothing of the channel; expected "published", "subscribers" or "delivered""#),
        Case(
            #"{"channels":[{"name":"final","topic":"a.b"}],"expect":[{"channel":»"finl","published":1}]}"#,
            #"no channel has that name; did you mean "final"?"#, crossReference: true),
        Case(
            #"{"expect":[{"requests":{"call":»"publsh"},"count":1}]}"#,
            #"did you mean "publish"?"#),
        Case(
            #"{"rules":[{"when":{"on":"broadcast","call":»"create"},"then":{"pass":true}}]}"#,
            #"can never hold, because of "on": these rules are tried on "publish""#, crossReference: true),
        Case(
            #"{"rules":[{"when":{"on":"channels","call":»"publish"},"then":{"pass":true}}]}"#,
            #"these rules are tried on "create", "read", "delete" and "list""#, crossReference: true),
        Case(
            #"{"channels":[{"name":"a","topic":"a.b"}],"rules":[{"when":{"on":"channels","call":"list",»"channel":"a"},"then":{"pass":true}}]}"#,
            #"contradicts "call": "list" does not name a channel"#, crossReference: true),
        Case(
            #"{"channels":[{"name":"final","topic":"a.b"}],"rules":[{"when":{"on":"broadcast","channel":»"finl"},"then":{"pass":true}}]}"#,
            #"is "finl", but no channel has that name or id; did you mean "final"?"#, crossReference: true),
        Case(
            #"{"channels":[{"name":"final","topic":"a.b"}],"expect":[{"requests":{"channel":»{"oneOf":["final","finale"]}},"count":1}]}"#,
            #"names "finale", and no channel has that name or id; did you mean "final"?"#, crossReference: true),
        Case(
            #"{"devices":[{"name":"alice","token":"\#(token)","topic":"a.b"}],"expect":[{"requests":{"call":"publish",»"device":"alice"},"count":1}]}"#,
            #"contradicts "call": only pushes to devices have it"#, crossReference: true),
        Case(
            #"{"expect":[{"requests":{"requestID":"x",»"delivery":"Delivered to Device"},"count":1}]}"#,
            #"contradicts "requestID": only pushes to devices have it"#, crossReference: true),
        Case(
            #"{"devices":[{"token":"\#(token)","topic":"com.example.app.voip","apps":{»"com.exmaple.app":{"state":"forceQuit"}}}]}"#,
            #"devices[0].apps["com.exmaple.app"] is an app of which the device has no topic; did you mean "com.example.app"?"#,
            crossReference: true),
        Case(
            #"{"devices":[{"name":"alice","token":"\#(token)","topic":"a.b"}],"timeline":[{"at":"1m","do":{"device":"alice","apps":{»"a.c":{"state":"forceQuit"}}}}]}"#,
            #"is an app of which the device has no topic"#, crossReference: true),
        Case(
            #"{"channels":[{"name":"a","topic":"a.b"}],"devices":[{"token":"\#(token)","topic":"a.c","activities":[»"a"]}]}"#,
            #"devices[0].activities[0] never starts: the channel is of the app "a.b", of which the device has no topic"#,
            crossReference: true),
        Case(
            #"{"channels":[{"name":"a","topic":"a.b","channelID":"x"}],"devices":[{"token":"\#(token)","topics":["a.bc"],"activities":[»{"channel":"x"}]}]}"#,
            #"never starts: the channel is of the app "a.b""#, crossReference: true),
        Case(
            #"{"devices":[{"name":"d","token":"\#(token)","topic":"a.c"}],"timeline":[{"at":"1m","do":{"device":"d","startActivity":»{"topic":"a.b"}}}]}"#,
            #"timeline[0].do.startActivity never starts: it is of the app "a.b", of which the device has no topic"#,
            crossReference: true),
        Case(
            #"{"channels":[{"name":"a","topic":"a.b"}],"devices":[{"name":"d","token":"\#(token)","topic":"a.c"}],"timeline":[{"at":"1m","do":{"device":"d","subscribe":»"a"}}]}"#,
            #"timeline[0].do.subscribe never starts: the channel is of the app "a.b", of which the device has no topic"#,
            crossReference: true),
        Case(
            #"{"channels":[{"name":"a","topic":"a.b"}],"devices":[{"name":"d","token":"\#(token)","activities":[{"name":"score","channel":"a"}]}],"timeline":[{"at":"1m","do":{"device":"d","endActivity":»"scroe"}}]}"#,
            #"endActivity is "scroe", but no Live Activity has that name; did you mean "score"?"#, crossReference: true),
        Case(
            #"{"rules":[{"then":{"pass":true,"device":{"endActivity":»"score"}}}]}"#,
            #"is "score", but no Live Activity has that name"#, crossReference: true),
    ]
}
