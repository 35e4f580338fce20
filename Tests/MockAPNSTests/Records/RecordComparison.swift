import Foundation
import MockAPNSCore

@testable import MockAPNS

extension MockAPNSServer.LoggedRequest {
    /// Returns the properties that say something else than the members of the record as JSON.
    func differences(from record: [UInt8]) throws -> [String] {
        try Self.differences(of: self, from: JSONText.read(record, .recorded))
    }

    private static func differences(of value: Any, from object: JSONText.Value) -> [String] {
        Mirror(reflecting: value).children.compactMap { child in
            guard let name = child.label else { return nil }
            let member = member(name, of: object)
            let isSaid = says(
                child.value, member.flatMap { $0.isNull ? nil : $0 }, isInSeconds: name == "retryAfter")
            return isSaid ? nil : name
        }
    }

    /// Returns what a property has to say.
    private static func member(_ property: String, of object: JSONText.Value) -> JSONText.Value? {
        switch property {
        case "latency": return object["latencyMicroseconds"]
        case "pushType":
            // Another value is in the header fields alone.
            let type = object["pushType"]
            return type?.string.flatMap { MockAPNSServer.PushType(rawValue: $0) } == nil ? nil : type
        case "decidedBy", "rule":
            // One member has both.
            guard let decider = object["decidedBy"]?.string, decider.utf8.starts(with: "rule:".utf8) else {
                return property == "rule" ? nil : object["decidedBy"]
            }
            let name = String(decoding: decider.utf8.dropFirst(5), as: UTF8.self)
            return JSONText.Value(property == "rule" ? name : "rule")
        default: return object[property]
        }
    }

    /// Whether a value says the same as a member.
    ///
    /// - Parameters:
    ///   - json: the member; `nil` for one that is absent or `null`.
    ///   - isInSeconds: whether a member that is a duration has seconds, not microseconds.
    private static func says(_ value: Any, _ json: JSONText.Value?, isInSeconds: Bool) -> Bool {
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .optional {
            guard let wrapped = mirror.children.first?.value else { return json == nil }
            return json != nil && says(wrapped, json, isInSeconds: isInSeconds)
        }
        switch value {
        // A number that is always there is 0 for `null`.
        case let number as Int: return Int64(number) == json?.int64 ?? 0
        case let flag as Bool: return flag == json?.bool
        case let text as String: return isSame(text, json?.string)
        case let time as Date:
            if let seconds = json?.int64 { return time == Date(timeIntervalSince1970: Double(seconds)) }
            return time == json?.string.flatMap { Timestamp($0) }?.date
        case let time as Duration:
            return json?.int64.map { time == (isInSeconds ? .seconds($0) : .microseconds($0)) } ?? false
        case let fields as [Field]:
            guard let pairs = json?.array, pairs.count == fields.count else { return false }
            return zip(fields, pairs).allSatisfy { isSame($0.name, $1[0]?.string) && isSame($0.value, $1[1]?.string) }
        case let steps as [DeliveryStep]:
            guard let told = json?.array, told.count == steps.count else { return false }
            return zip(steps, told).allSatisfy { differences(of: $0, from: $1).isEmpty }
        case let value as MockAPNSServer.JSONValue: return isSame(value.description, json?.text)
        case is Authentication: return json.map { differences(of: value, from: $0).isEmpty } ?? false
        case let code as MockAPNSServer.ErrorCode:
            let name = json?.string
            return name == ErrorCode.name(of: UInt32(code.rawValue))
                && (name != nil || json?.int64 == Int64(code.rawValue))
        case let word as any RawRepresentable: return isSame(word.rawValue as? String, json?.string)
        default: return false
        }
    }

    /// Whether both consist of the same bytes.
    private static func isSame(_ one: String?, _ other: String?) -> Bool {
        one.map { Array($0.utf8) } == other.map { Array($0.utf8) }
    }
}
