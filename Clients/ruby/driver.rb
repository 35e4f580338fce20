# Ruby, with http-2. Run it with: mock-apns suite -- ruby driver.rb
require "base64"
require "http/2"
require "json"
require "openssl"
require "securerandom"
require "socket"
require "timeout"

HOST, PORT = ENV.fetch("MOCK_APNS_HOST"), ENV.fetch("MOCK_APNS_PORT")
NAMES = { "topic" => "apns-topic", "pushType" => "apns-push-type", "priority" => "apns-priority",
          "expiration" => "apns-expiration", "collapseID" => "apns-collapse-id" }.freeze

def sign
  header = { alg: "ES256", kid: ENV.fetch("MOCK_APNS_KEY_ID") }
  claims = { iss: ENV.fetch("MOCK_APNS_TEAM_ID"), iat: Time.now.to_i }
  text = [header, claims].map { |part| Base64.urlsafe_encode64(part.to_json, padding: false) }.join(".")
  signature = OpenSSL::PKey.read(File.read(ENV.fetch("MOCK_APNS_KEY"))).sign("SHA256", text)
  "bearer #{text}.#{Base64.urlsafe_encode64(signature, padding: false)}"
end

def connect
  context = OpenSSL::SSL::SSLContext.new.tap { |made| made.set_params(alpn_protocols: ["h2"]) }
  socket = OpenSSL::SSL::SSLSocket.open(HOST, PORT, context: context)
  socket.hostname = "localhost"
  socket.connect
  http = HTTP2::Client.new
  http.on(:frame) { |bytes| socket.write(bytes) }
  [socket, http]
end

# One try: status, body and the seconds of retry-after.
def post(socket, http, fields, payload)
  answer, body, stream = {}, +"", http.new_stream
  stream.on(:headers) { |got| answer = got.to_h.merge(answer) unless got.to_h[":status"].to_s.start_with?("1") }
  stream.on(:data) { |part| body << part }
  stream.headers(fields, end_stream: false)
  stream.data(payload)
  http << socket.readpartial(16_384) until stream.closed?
  [answer.fetch(":status").to_i, body, answer["retry-after"].to_i]
end

# The driver.

token, dropped, connection = sign, {}, nil
$stdin.each_line do |line|
  push = JSON.parse(line)
  result = { error: "the device token was dropped" }
  fields = { ":method" => "POST", ":scheme" => "https", ":authority" => HOST, ":path" => "/3/device/#{push["token"]}",
             "apns-id" => SecureRandom.uuid, **push.slice(*NAMES.keys).to_h { |key, value| [NAMES[key], value.to_s] } }
  (dropped[push["token"]] ? 0 : 6).times do |number|
    begin
      status, body, wait = Timeout.timeout(2) do
        connection ||= connect
        post(*connection, { **fields, "authorization" => token }, push["payload"].to_json)
      end
      reason = body[/"reason":"(\w+)"/, 1]
      result = { status: status, reason: reason }
    rescue StandardError => error
      status, reason, wait, result = 0, nil, 0, { error: error.message }
    end
    dropped[push["token"]] = true if status == 410 || reason == "BadDeviceToken"
    expired = reason == "ExpiredProviderToken" && number < 2
    token = sign if expired
    worn = expired || [0, 500].include?(status) || reason == "TooManyProviderTokenUpdates"
    connection = connection&.first&.close if worn
    break unless worn || [429, 503].include?(status) || (reason == "InvalidProviderToken" && number < 2)
    sleep(wait + 0.025 * 2**number)
  end
  puts({ id: push["id"], **result }.to_json)
  $stdout.flush
end
