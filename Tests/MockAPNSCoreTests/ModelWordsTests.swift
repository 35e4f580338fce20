import Testing

@testable import MockAPNSCore

/// The log and the frames hold words as bytes.
@Suite("Words as bytes")
struct ModelWordsTests {
    private func codes<Word: CodedWord>(_ type: Word.Type) -> Bool {
        let all = Word.coded
        return Set(all) == Set(Word.allCases) && all.map { Int($0.code) } == Array(all.indices)
            && all.allSatisfy { Word(code: $0.code) == $0 }
            && Word(code: UInt8(all.count)) == nil && Word(code: .max) == nil
    }

    @Test("The code of a word is its position, and leads back to it")
    func codes() {
        #expect(codes(Reason.self))
        #expect(codes(Outcome.self))
        #expect(codes(Delivery.self))
        #expect(codes(Sender.self))
        #expect(codes(AuthenticationMethod.self))
        #expect(codes(BroadcastCall.self))
        #expect(codes(ChannelStorage.self))
        #expect(codes(PushType.self))
        #expect(codes(DecidedBy.self))
        #expect(codes(AuthenticationVerdict.self))
    }

    @Test("A verdict is valid, or the name of a reason")
    func verdicts() {
        let all = AuthenticationVerdict.allCases
        #expect(all.map(\.rawValue) == ["valid"] + Reason.allCases.map(\.rawValue))
        #expect(all.allSatisfy { AuthenticationVerdict(rawValue: $0.rawValue) == $0 })
        #expect(AuthenticationVerdict(rawValue: "unsure") == nil)
    }

    @Test("Each alert of TLS has a name and a number of its own")
    func alerts() {
        let all = TLSAlert.all
        #expect(Set(all.map(\.alert)).count == all.count && all.map(\.code) == all.map(\.code).sorted())
        #expect(TLSAlert.all.first { $0.alert == "certificate_expired" }?.code == 45)
    }
}
