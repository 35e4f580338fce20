# Ruby, with http-2. Run it with: mock-apns exec -- ruby push.rb DEVICE-TOKEN...
# SSL_CERT_FILE, which exec sets, lets OpenSSL trust the server.

require "base64"
require "http/2"
require "json"
require "openssl"
require "socket"
require "uri"

def base64url(bytes) = Base64.urlsafe_encode64(bytes, padding: false)

def sign
  header = { alg: "ES256", kid: ENV.fetch("MOCK_APNS_KEY_ID") }.to_json
  claims = { iss: ENV.fetch("MOCK_APNS_TEAM_ID"), iat: Time.now.to_i }.to_json
  message = "#{base64url(header)}.#{base64url(claims)}"
  key = OpenSSL::PKey.read(File.read(ENV.fetch("MOCK_APNS_KEY")))
  "#{message}.#{base64url(key.sign("SHA256", message))}" # in DER, which APNs takes too
end

address = URI(ENV.fetch("MOCK_APNS_URL"))
context = OpenSSL::SSL::SSLContext.new
context.set_params(alpn_protocols: ["h2"])
socket = OpenSSL::SSL::SSLSocket.new(TCPSocket.new(address.host, address.port), context)
socket.hostname = "localhost"
socket.sync_close = true
socket.connect

http = HTTP2::Client.new
http.on(:frame) { |bytes| socket.write(bytes) }

token = sign
ARGV.each do |device|
  status = nil
  stream = http.new_stream
  stream.on(:headers) { |fields| status = fields.to_h[":status"] }
  stream.on(:close) { puts status }
  stream.headers({
    ":method" => "POST", ":scheme" => "https", ":authority" => address.host, ":path" => "/3/device/#{device}",
    "authorization" => "bearer #{token}", "apns-topic" => ENV.fetch("MOCK_APNS_TOPIC"), "apns-push-type" => "alert"
  }, end_stream: false)
  stream.data('{"aps":{"alert":"Hello"}}')
  http << socket.readpartial(16_384) until stream.closed?
end
