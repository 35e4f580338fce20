import MockAPNS
import MockAPNSCore
import MockAPNSScenario
import NIOCore
import NIOHTTP1

/// `/api/v1/devices`: the devices, what they display, and their stored pushes.
struct DevicesResource {
    let server: MockAPNSServer

    func add(to api: inout CallRoutes) {
        api.on(.listDevices) { request in try list(request) }
        api.on(.declareDevice) { request in
            let scenario = server.namesInScope
            let device = try request.part {
                scenario.device(from: $0, server.channelNames(for: $0), drawn: server.drawDeviceToken())
            }
            return Response.device(try server.declare(device), status: .created)
        }
        api.on(.getDevice) { request in
            guard let text = try request.parameter("at") else { return Response.device(try known(request).view) }
            return try await request.whileConnected { try await past(request.pathPart("device"), at: text) }
        }
        api.on(.changeDevice) { request in
            let (name, view) = try known(request)
            let change = try request.part {
                Scenario().deviceChange(from: $0, server.channelNames(for: $0))
            }
            if let mistake = server.mistake(of: change, on: view) {
                throw APIError.badRequest("badValue", mistake.why, pointer: mistake.pointer)
            }
            return Response.device(try server.change(name, change))
        }
        api.on(.deleteDevice) { request in
            try server.removeDevice(known(request).name)
            return Response.json(["deleted": 1])
        }
        api.on(.renewDeviceToken) { request in
            try request.emptyBody("the new token is drawn from the seed.")
            return Response.device(try server.renewDeviceToken(known(request).name), status: .created)
        }
        api.on(.waitForActivities) { request in try await wait(request) }
        api.on(.dismissNotification) { request in
            try request.noBody("the notification is named by its path.")
            return try respond(.dismissal, request)
        }
        api.on(.sendDismissal) { request in
            try request.emptyBody("the notification is named by its path.")
            return try respond(.dismissal, request)
        }
        api.on(.openNotification) { request in
            try respond(try request.part { Scenario().notificationResponse(from: $0) }, request)
        }
    }

    private func respond(_ response: NotificationResponse, _ request: Request) throws -> Response {
        let (name, view) = try known(request)
        let text = try request.pathPart("sequence")
        guard let sequence = Int(text) else {
            throw APIError.notFound("\"\(text.prefix(80))\" is not the sequence number of a push.")
        }
        if let mistake = view.displayed(sequence).flatMap(response.mistake) {
            throw APIError.badRequest("badValue", mistake.why, pointer: mistake.pointer)
        }
        return Response.device(try server.respond(response, to: sequence, on: name))
    }

    /// Returns the device in the path, and its name there.
    private func known(_ request: Request) throws -> (name: String, view: DeviceView) {
        let name = try request.pathPart("device")
        guard let view = server.view(of: name) else {
            throw APIError.notFound(
                "\(MockAPNSServer.unknownDevice(name)) \(APICall.listDevices) lists the known ones.")
        }
        return (name, view)
    }

    /// Answers with a device as it was right after a request.
    private func past(_ name: String, at text: String) async throws -> Response {
        guard let sequence = Int(text), sequence > 0 else {
            throw APIError.badRequest(
                "badParameter", "at is \"\(text.prefix(80))\"; expected the sequence number of a request.",
                pointer: "/at")
        }
        do { return Response.device(try await server.pastView(of: name, at: sequence)) } catch let missing
            as DeviceReplay.Missing
        {
            let message = MockAPNSServer.explain(missing, name, sequence)
            if missing == .unknown { throw APIError.notFound(message) }
            throw APIError(status: .notFound, code: "dropped", message: message)
        }
    }

    private func list(_ request: Request) throws -> Response {
        let page = server.devices(try request.pagedQuery())
        var json = Array(#"{"devices":["#.utf8)
        for (index, view) in page.elements.enumerated() {
            if index > 0 { json.append(UInt8(ascii: ",")) }
            view.appendJSON(to: &json, hasHistory: false)
        }
        json.append(contentsOf: #"],"next":\#(page.next.json)}"#.utf8)
        return .json(ByteBuffer(bytes: json))
    }

    /// Answers when the device has enough Live Activities, or the time is up. Ends early if the client disconnects.
    private func wait(_ request: Request) async throws -> Response {
        let name = try known(request).name
        let awaited = try request.part { Scenario().awaitedActivities(from: $0) }
        return try await request.whileConnected {
            do {
                let (view, isFulfilled) = try await server.wait(
                    for: awaited, on: name, within: .milliseconds(awaited.timeout))
                guard isFulfilled || server.isReady else { throw APIError.stopped }
                var json = Array(#"{"activities":"#.utf8)
                json.appendList(awaited.among(view)) { $1.appendJSON(at: view.time, to: &$0) }
                json.append(UInt8(ascii: "}"))
                return .json(ByteBuffer(bytes: json), status: isFulfilled ? .ok : .requestTimeout)
            } catch let error as WaitRefusal {
                throw APIError(status: .serviceUnavailable, code: "tooManyWaits", message: error.description)
            }
        }
    }
}
