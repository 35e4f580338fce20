package import MockAPNSCore

/// The lines that a suite and a driver exchange: one JSON object each.
package enum DriverLine {
    /// A driver's report that it is done with a push.
    package struct Answer: Sendable, Hashable {
        package var id: String
        /// The last status; `nil` if there was none.
        package var status: Int?
        /// Why it was refused.
        package var reason: String?
        /// Why there was no status.
        package var error: String?
    }

    /// The mistake in a driver's line: a sentence part that follows "line 3 of the driver".
    package struct Mistake: Error, Sendable, Hashable {
        package let message: String
    }

    /// The line that hands a push to the driver, with a line feed.
    ///
    /// - Parameter now: the time on the scenario's clock.
    package static func text(of push: WorkloadEntry.Push, id: String, at now: Timestamp) -> [UInt8] {
        var line = Array(#"{"id":"#.utf8)
        func begin(_ key: String) { line.append(contentsOf: ",\"\(key)\":".utf8) }
        func append(_ key: String, _ text: String?) {
            guard let text else { return }
            begin(key)
            line.appendJSON(text)
        }
        func append(_ key: String, _ number: Int64?) {
            if let number { line.append(contentsOf: ",\"\(key)\":\(number)".utf8) }
        }
        line.appendJSON(id)
        append("token", push.token)
        append("topic", push.topic)
        append("pushType", push.pushType?.name)
        append("priority", push.priority.map(Int64.init))
        append("expiration", push.expiration?.seconds(at: now))
        append("collapseID", push.collapseID)
        append("teamID", push.signer?.teamID)
        append("keyID", push.signer?.keyID)
        append("key", push.signer?.key)
        if let payload = push.payload {
            begin("payload")
            line.append(contentsOf: payload)
        }
        line.append(contentsOf: "}\n".utf8)
        return line
    }

    /// Reads a line of a driver.
    package static func answer(_ line: [UInt8]) throws(Mistake) -> Answer {
        let value: JSONText.Value
        do { value = try JSONText.read(line) } catch {
            throw Mistake(message: "is not JSON; a driver writes nothing but one JSON object a line")
        }
        guard value.object != nil else { throw Mistake(message: "is not an object") }
        guard let id = value["id"]?.string else {
            throw Mistake(message: "has no \"id\" that is a string; expected that of the push it is about")
        }
        var answer = Answer(id: id, reason: value["reason"]?.string, error: value["error"]?.string)
        if let status = value["status"] {
            guard let number = status.int64, 100...599 ~= number else {
                throw Mistake(message: "has a \"status\" that is not a number from 100 to 599")
            }
            answer.status = Int(number)
        }
        if answer.status == nil, answer.error == nil {
            throw Mistake(message: "has neither \"status\" nor \"error\"")
        }
        return answer
    }

    /// A line as an error message shows it, cut at 200 bytes.
    package static func shown(_ line: [UInt8]) -> String {
        String(decoding: line.prefix(200), as: UTF8.self) + (line.count > 200 ? "…" : "")
    }
}

extension WorkloadEntry.Expiration {
    fileprivate func seconds(at now: Timestamp) -> Int64 {
        switch self {
        case .at(let seconds): seconds
        case .after(let milliseconds): (now.milliseconds + milliseconds) / 1000
        }
    }
}
