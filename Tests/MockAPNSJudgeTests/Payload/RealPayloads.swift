@testable import MockAPNSCore

/// Payloads as providers of many kinds of apps send them.
enum RealPayloads {
    static let all = alerts + silent + rich + critical + liveActivities + calls + others

    private static let now: Int64 = 1_790_000_000

    private static func push(_ type: PushType, _ body: String, _ headers: String...) -> LintSample {
        var sample = LintSample(body)
        let topic = "com.example.app\(type.topicSuffix ?? "")"
        sample.headers = ["apns-push-type: \(type.name)", "apns-topic: \(topic)"] + headers
        sample.clock = now
        return sample
    }

    /// A message in ten languages: who, and what.
    private static let texts = [
        ("Anna", "Are we still on for lunch at 12:30?"), ("Jörg Müller", "Kommst du heute später? Ich bin schon da."),
        ("François", "Ton colis est arrivé : 3 €, n’oublie pas !"), ("Lucía", "¿Nos vemos mañana? ¡Sí, por favor!"),
        ("João", "A sua encomenda n.º 1042 saiu para entrega."),
        ("Giulia", "Il treno delle 8:15 è in ritardo di 10 min"),
        ("Иван", "Ваш заказ готов, ждём вас до 21:00"), ("田中さん", "会議は15時からです。資料をご確認ください。"),
        ("王小明", "您的快递已到达，请凭取件码 8-2-1034 领取"), ("ليلى", "تم شحن طلبك رقم ٤٢، شكراً لك"),
    ]

    private static let alerts = texts.enumerated().flatMap { index, text in
        let (title, body) = text
        let number = 40_000 + index
        return [
            #"{"aps":{"alert":"\#(title): \#(body)","sound":"default"}}"#,
            #"{"aps":{"alert":{"title":"\#(title)","body":"\#(body)"},"badge":\#(index + 1),"sound":"default"},"id":\#(number)}"#,
            #"{"aps":{"alert":{"title":"Chat","subtitle":"\#(title)","body":"\#(body)"},"thread-id":"chat-\#(number)","category":"MESSAGE"},"chat":"\#(number)"}"#,
            #"{"aps":{"alert":{"title-loc-key":"MESSAGE_TITLE","title-loc-args":["\#(title)"],"loc-key":"MESSAGE_BODY","loc-args":["\#(title)","\#(index)"]},"sound":"message.caf"}}"#,
            #"{"aps":{"alert":{"title":"\#(title)","body":"\#(body)"},"interruption-level":"time-sensitive","relevance-score":0.\#(index)},"url":"app://orders/\#(number)"}"#,
            #"{"aps":{"alert":{"title":"\#(title)","body":"\#(body)"},"interruption-level":"passive","filter-criteria":"work","target-content-id":"w\#(index)"},"data":{"timestamp":\#(now),"event":"message"}}"#,
            #"{"aps":{"alert":{"title":"\#(title)","body":"\#(body)"},"content-available":1},"gcm.message_id":"\#(now)\#(number)","user":{"id":\#(number),"name":"\#(title)"}}"#,
            #"{"aps":{"alert":{"body":"\#(body)"},"badge":0},"event":"message","timestamp":\#(now),"attributes":{"a":1}}"#,
        ].map { push(.alert, $0, "apns-priority: 10") }
    }

    private static let silent = (0..<25).map { index in
        let data = [
            #","revision":\#(index)"#, #","sync":{"cursor":"c\#(index)","full":false}"#, "",
            #","kind":"refresh","ids":[1,2,\#(index)]"#, #","event":"sync","timestamp":\#(now)"#,
        ][index % 5]
        return push(.background, #"{"aps":{"content-available":1}\#(data)}"#, "apns-priority: 5")
    }

    private static let rich = (0..<25).map { index in
        let (title, body) = texts[index % texts.count]
        let media = [
            #""media-url":"https://cdn.example.com/\#(index).jpg""#,
            #""attachment":{"url":"https://cdn.example.com/\#(index).mp4","type":"video"}"#,
            #""ciphertext":"q83vEjRWeJq83vEjRWeJq83vEjRWeJ\#(index)""#,
            #""image":"https://cdn.example.com/a.png","buttons":["yes","no"]"#,
            #""nonce":"b1c5d3","sealed":{"v":2,"box":"AAEC\#(index)"}"#,
        ][index % 5]
        return push(
            .alert,
            #"{"aps":{"alert":{"title":"\#(title)","body":"\#(body)"},"mutable-content":1,"sound":"default","badge":\#(index + 1),"category":"PHOTO"},\#(media)}"#
        )
    }

    private static let critical = (0..<10).map { index in
        push(
            .alert,
            #"{"aps":{"alert":{"title":"Flood warning","body":"Level \#(index + 1): go to a higher floor"},"sound":{"critical":1,"name":"\#(index % 2 == 0 ? "default" : "alarm.wav")","volume":\#(index % 2 == 0 ? "1" : "0.8")},"interruption-level":"critical"},"warning":{"id":\#(index)}}"#,
            "apns-priority: 10")
    }

    private static let liveActivities = (0..<15).flatMap { index in
        let state = [
            #"{"home":\#(index),"away":2,"minute":\#(index * 5)}"#,
            #"{"driver":"Kim","eta":\#(now + 600),"stops":[1,2]}"#,
            #"{"progress":0.\#(index),"step":"baking","emoji":"🍕"}"#,
        ][index % 3]
        let base = #""timestamp":\#(now + Int64(index)),"content-state":\#(state)"#
        let alert = #""alert":{"title":"Order \#(index)","body":"It is on its way","sound":"default"}"#
        let localized = #""alert":{"title":{"loc-key":"GOAL","loc-args":["\#(index)"]},"body":{"loc-key":"SCORE"}}"#
        return [
            push(
                .liveactivity,
                #"{"aps":{\#(base),"event":"start","attributes-type":"OrderAttributes","attributes":{"order":\#(index)},\#(alert)\#(index % 2 == 0 ? #","input-push-token":1"# : "")}}"#,
                "apns-priority: 10"),
            push(
                .liveactivity,
                #"{"aps":{\#(base),"event":"update","stale-date":\#(now + 3600),"relevance-score":75\#(index % 3 == 0 ? "," + localized : "")}}"#,
                "apns-priority: \(index % 2 == 0 ? 5 : 10)"),
            push(
                .liveactivity, #"{"aps":{\#(base),"event":"end","dismissal-date":\#(now + 900)}}"#, "apns-priority: 10"),
            push(
                .liveactivity, #"{"aps":{\#(base),"event":"update"}}"#, "apns-channel-id: dHN0LXNyY2gtY2hubA==",
                "apns-priority: \(index % 2 == 0 ? 1 : 10)"),
        ]
    }

    private static let calls = (0..<15).map { index in
        let body = [
            #"{"aps":{},"uuid":"b4f3e2aa-0000-4000-8000-00000000000\#(index % 10)","handle":"+491515550\#(100 + index)","hasVideo":false}"#,
            #"{"callId":"\#(index)","caller":"Anna","timestamp":\#(now)000}"#,
            #"{"call_sid":"CA0123456789abcdef","from":"client:anna","bridge":{"token":"t\#(index)","event":"ring"}}"#,
        ][index % 3]
        return push(.voip, body, "apns-priority: 10")
    }

    private static let others =
        (0..<5).map { index in
            var sample = push(.mdm, #"{"mdm":"7E3F2C1A-0000-4000-8000-00000000000\#(index)"}"#)
            sample.headers[1] = "apns-topic: com.apple.mgmt.External.7e3f2c1a-0000-4000-8000-000000000000"
            return sample
        } + (0..<5).map { _ in push(.background, "{}") } + (0..<5).map { _ in push(.alert, "{}") }
        + (0..<5).flatMap { index in
            [
                push(.widgets, #"{"aps":{"content-changed":true}}"#),
                push(.controls, #"{"aps":{"content-changed":true}}"#),
                push(.location, #"{"query":\#(index)}"#, "apns-priority: 5"),
                push(
                    .fileprovider,
                    #"{"container-identifier":"NSFileProviderWorkingSetContainerItemIdentifier","domain":"d\#(index)"}"#
                ),
                push(.pushtotalk, #"{"aps":{},"activeSpeaker":"Kim","channel":\#(index)}"#, "apns-expiration: 0"),
                push(.complication, #"{"steps":\#(4000 + index)}"#),
            ]
        }
}
