import MockAPNSCore

/// A replica's message when it joins a fleet.
struct JoinMessage: Sendable, Equatable {
    var replica: String
    /// When its process started, by the engine's clock.
    var started: UInt64
    var version: String
    /// Digests of the scenario and of the certificate authority, in which all replicas agree.
    var scenario: String
    var authority: String
    /// A digest of the scenario that it began its epoch with.
    var played: String
    /// A digest of the signing keys, in which all agree as well.
    var signingKeys = ""
    /// The options that override what a scenario says about answers, as on a command line; in them, too, all agree.
    var options = ""
    /// The epoch that it joins.
    var epoch = StreamID.zero
    /// Whether it joins again because the engine has lost the control stream.
    var hasLostControl = false

    var fields: [(name: String, value: [UInt8])] {
        var texts = [
            ("k", "join"), ("r", replica), ("s", "\(started)"), ("v", version), ("p", scenario), ("a", authority),
            ("y", signingKeys), ("e", "\(epoch)"), ("o", options), ("g", played),
        ]
        if hasLostControl { texts.append(("l", "")) }
        return texts.map { ($0.0, Array($0.1.utf8)) }
    }

    /// The entry that takes it back.
    var withdrawal: [(name: String, value: [UInt8])] { notice("withdraw") }

    /// The entry that says that its replica has missed others.
    var missed: [(name: String, value: [UInt8])] { notice("missed") }

    private func notice(_ kind: String) -> [(name: String, value: [UInt8])] {
        [("k", kind), ("r", replica), ("s", "\(started)")].map { ($0.0, Array($0.1.utf8)) }
    }

    init(replica: String, started: UInt64, version: String, scenario: String, authority: String) {
        (self.replica, self.started, self.version) = (replica, started, version)
        (self.scenario, self.authority, played) = (scenario, authority, scenario)
    }

    /// Reads an entry of the control stream; `nil` for another kind.
    init?(_ entry: StreamEntry) {
        guard entry.text("k") == "join", let replica = entry.text("r"), FleetKeys.isName(replica),
            let started = entry.text("s").flatMap({ UInt64($0) }), started < 1 << 53, let version = entry.text("v"),
            let scenario = entry.text("p"), let authority = entry.text("a")
        else { return nil }
        self.init(replica: replica, started: started, version: version, scenario: scenario, authority: authority)
        epoch = entry.text("e").flatMap { StreamID($0) } ?? .zero
        signingKeys = entry.text("y") ?? ""
        options = entry.text("o") ?? ""
        played = entry.text("g") ?? scenario
        hasLostControl = entry.value("l") != nil
    }

    /// Whether both are of one process.
    func isOfSameProcess(as other: Self) -> Bool { replica == other.replica && started == other.started }

    /// Returns what has to be the same and is not; `nil` if everything is.
    func difference(from other: Self) -> String? {
        if version != other.version {
            return "runs version \(other.version), and this one \(version); run the same version everywhere"
        }
        if authority != other.authority {
            return "has another certificate authority; give all of them one folder with --certs"
        }
        if signingKeys != other.signingKeys {
            return
                "has other signing keys, and would answer the same provider token differently; give all of them one folder with --certs, or copies with the same .p8 files"
        }
        if scenario != other.scenario {
            return "was started with another scenario; give all of them the same one with --scenario"
        }
        if options != other.options {
            return
                "was started with \(Self.named(other.options)), and this one with \(Self.named(options)); give all of them the same"
        }
        return nil
    }

    private static func named(_ options: String) -> String {
        options.isEmpty ? "none of --auth, --environment and --initial-streams" : options
    }
}

/// A replica's message each second.
struct Heartbeat: Sendable, Equatable {
    /// How long it is valid, in milliseconds.
    static let validity = 3000

    /// When its process started, by the engine's clock.
    var started: UInt64
    /// The number of its latest frame.
    var frame: UInt64
    /// The number of requests that it has decided.
    var decided: Int
    /// The number of those that it has shipped.
    var shipped: Int
    /// The number of those that it will never ship.
    var missing: Int
    /// The latest entry of the control stream that it has carried out.
    var applied = StreamID.zero
    /// The address of its admin API; `nil` before that is open.
    var admin: String?
    /// Why what it decided does not reach the engine, as part of a sentence; `nil` if it does.
    var problem: String?

    var json: [UInt8] {
        var json = Array(
            #"{"started":\#(started),"applied":"\#(applied)","frame":\#(frame),"decided":\#(decided),"shipped":\#(shipped),"missing":\#(missing),"admin":"#
                .utf8)
        json.appendJSON(admin)
        json.append(contentsOf: #","problem":"#.utf8)
        json.appendJSON(problem)
        json.append(UInt8(ascii: "}"))
        return json
    }

    init(started: UInt64, frame: UInt64, decided: Int, shipped: Int, missing: Int) {
        (self.started, self.frame, self.decided) = (started, frame, decided)
        (self.shipped, self.missing) = (shipped, missing)
    }

    init?(_ bytes: [UInt8]) {
        guard let value = try? JSONText.read(bytes) else { return nil }
        func count(_ key: String) -> Int? { value[key]?.int64.flatMap { $0 >= 0 ? Int($0) : nil } }
        guard let started = count("started"), let frame = count("frame"), let decided = count("decided"),
            let shipped = count("shipped"), let missing = count("missing")
        else { return nil }
        self.init(
            started: UInt64(started), frame: UInt64(frame), decided: decided, shipped: shipped, missing: missing)
        applied = value["applied"]?.string.flatMap { StreamID($0) } ?? .zero
        admin = value["admin"]?.string
        problem = value["problem"]?.string
    }
}

extension ContinuousClock.Instant {
    /// Milliseconds since some instant.
    func milliseconds(since other: Self) -> Int64 {
        let (seconds, attoseconds) = (self - other).components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }
}
