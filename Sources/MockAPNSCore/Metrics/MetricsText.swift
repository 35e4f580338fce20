extension Summary {
    /// The content type of ``metrics``.
    package static let metricsContentType = "text/plain; version=0.0.4; charset=utf-8"

    /// The answer of `GET /metrics`, in the
    /// [Prometheus text format 0.0.4](https://prometheus.io/docs/instrumenting/exposition_formats/).
    package var metrics: String {
        var text = MetricsText()
        text.family("build_info", "The version of the server.", "gauge", by: "version", [(MockAPNSVersion.text, 1)])
        text.counter("requests_total", "Decided requests.", requests)
        text.counters("responses_total", "Answers by status.", by: "status", byStatus)
        text.counters(
            "rejections_total", "Rejected requests by reason.", by: "reason",
            byReason.map { Count(name: $0.reason.name, count: $0.count) })
        text.counters("outcomes_total", "Requests by outcome.", by: "outcome", byOutcome)
        text.family(
            "deliveries_total", "Delivery statuses that pushes came to, as Apple names them.", "counter",
            byDelivery.map { ([("push_type", $0.pushType), ("status", $0.state.name)], $0.count) })
        text.counters("topic_requests_total", "Requests of the busiest topics.", by: "topic", byTopic)
        text.histogram(
            "decision_seconds",
            "Time from the last byte of a request to its decision, with the scripted delay of its answer, in seconds.",
            latency)
        text.counter("connections_opened_total", "Opened connections.", connectionsOpened)
        text.counter("connections_closed_total", "Closed connections.", connectionsOpened - connectionsOpen)
        text.gauge("connections_open", "Open connections.", connectionsOpen)
        text.gauge("devices", "Known devices.", devices)
        text.counter(
            "devices_evicted_total", "Self-registered devices that were evicted.", devicesEvicted)
        text.counter("log_records_dropped_total", "Records dropped from memory.", dropped)
        text.counter("log_write_errors_total", "Lines that could not be written to the log file.", logWriteErrors)
        for (name, help, type, figure) in Self.figuresOfLimits {
            text.family(name, help, type, by: "name", limits.map { ($0.name, $0[keyPath: figure]) })
        }
        if let fleetShipErrors {
            text.counter(
                "fleet_ship_errors_total",
                "Attempts to ship requests that the engine of the fleet refused or did not answer.", fleetShipErrors)
        }
        return text.text
    }

    private static var figuresOfLimits: [(name: String, help: String, type: String, KeyPath<LimitUse, Int>)] {
        [
            (
                "limit", "The bounds of collections that clients, scenarios or the API can make grow.", "gauge",
                \.limit
            ),
            ("used", "How much of each limit is used; of a server and its sessions, the most.", "gauge", \.used),
            ("dropped_total", "What was refused or dropped because of a limit.", "counter", \.dropped),
        ]
    }
}

/// Writes metrics in sequence.
struct MetricsText {
    private(set) var text = ""

    mutating func counter(_ name: String, _ help: String, _ value: Int) { single(name, help, "counter", value) }

    mutating func gauge(_ name: String, _ help: String, _ value: Int) { single(name, help, "gauge", value) }

    private mutating func single(_ name: String, _ help: String, _ type: String, _ value: Int) {
        head(name, help, type)
        text += "mock_apns_\(name) \(value)\n"
    }

    mutating func counters(_ name: String, _ help: String, by label: String, _ counts: [Summary.Count]) {
        family(name, help, "counter", by: label, counts.map { ($0.name, $0.count) })
    }

    /// Writes a metric with one number per value of a label.
    mutating func family(
        _ name: String, _ help: String, _ type: String, by label: String, _ values: [(value: String, count: Int)]
    ) {
        family(name, help, type, values.map { ([(label, $0.value)], $0.count) })
    }

    /// Writes a metric with one number per combination of the values of its labels.
    mutating func family(
        _ name: String, _ help: String, _ type: String,
        _ values: [(labels: [(name: String, value: String)], count: Int)]
    ) {
        head(name, help, type)
        for (labels, count) in values {
            let labels = labels.map { "\($0.name)=\"\(Self.escaped($0.value, quotes: true))\"" }
            text += "mock_apns_\(name){\(labels.joined(separator: ","))} \(count)\n"
        }
    }

    /// Writes a histogram whose bounds are powers of two microseconds, because the counts for these are exact.
    mutating func histogram(_ name: String, _ help: String, _ latency: LatencyHistogram) {
        head(name, help, "histogram")
        for exponent in 3...24 {
            let count = latency.count(belowPowerOfTwo: exponent)
            text += "mock_apns_\(name)_bucket{le=\"\(Self.seconds(1 << exponent))\"} \(count)\n"
        }
        text += "mock_apns_\(name)_bucket{le=\"+Inf\"} \(latency.count)\n"
        text += "mock_apns_\(name)_sum \(Self.seconds(latency.sum))\n"
        text += "mock_apns_\(name)_count \(latency.count)\n"
    }

    private mutating func head(_ name: String, _ help: String, _ type: String) {
        text += "# HELP mock_apns_\(name) \(Self.escaped(help, quotes: false))\n# TYPE mock_apns_\(name) \(type)\n"
    }

    /// Formats microseconds as seconds.
    private static func seconds(_ microseconds: Int) -> String {
        let fraction = String(microseconds % 1_000_000)
        return "\(microseconds / 1_000_000)." + String(repeating: "0", count: 6 - fraction.utf8.count) + fraction
    }

    static func escaped(_ text: String, quotes: Bool) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
