# Ruby, with RSpec and http-2. Run it with: rspec notifications_spec.rb

require "http/2"
require "json"
require "net/http"
require "open3"
require "openssl"
require "socket"
require "tmpdir"

# A mock APNs server of a test's own.
class MockAPNs
  attr_reader :identity

  # Starts a server for all tests, unless the variable names one that is running.
  def self.start
    @admin = ENV["MOCK_APNS_ADMIN_URL"]
    return if @admin

    @certs = Dir.mktmpdir("mock-apns-")
    _, output, errors, @server = Open3.popen3(
      "mock-apns", "serve", "--exit-with-parent", "--quiet", "--port", "0", "--admin-port", "0", "--certs", @certs
    )
    ready = output.gets or raise "mock-apns did not start: #{errors.read}"
    @admin = JSON.parse(ready)["admin"]
  end

  def self.stop
    return unless @server

    Process.kill("TERM", @server.pid)
    @server.join
    FileUtils.rm_rf(@certs)
  end

  def self.open(scenario) = new(call(Net::HTTP::Post, "#{@admin}/api/v1/sessions", scenario: scenario))

  def self.call(method, url, body = nil)
    url = URI(url)
    answer = Net::HTTP.start(url.host, url.port) { |http| http.request(method.new(url), body&.to_json) }
    raise "#{method::METHOD} #{url}: #{answer.body}" unless answer.is_a?(Net::HTTPSuccess) || answer.is_a?(Net::HTTPRequestTimeOut)

    JSON.parse(answer.body)
  end

  def initialize(identity) = @identity = identity

  def url = identity["apns"]

  # Waits until at least so many requests match, and returns them.
  def wait(count, match)
    found = self.class.call(Net::HTTP::Post, "#{identity["admin"]}/requests/wait", requests: match, count: count)["requests"]
    return found if found.size >= count

    expect = [{ requests: match, count: { atLeast: count } }]
    raise self.class.call(Net::HTTP::Post, "#{identity["admin"]}/verify", expect: expect)["report"]
  end

  # Ends the session, and tells whether all came as its scenario expects.
  def close = self.class.call(Net::HTTP::Delete, identity["admin"])
end

RSpec.configure do |config|
  config.before(:suite) { MockAPNs.start }
  config.after(:suite) { MockAPNs.stop }
  config.before(:each, :apns) { |example| @apns = MockAPNs.open(example.metadata[:apns]) }
  config.after(:each, :apns) do
    verdict = @apns.close
    expect(verdict["passed"]).to be(true), verdict["report"]
  end
end

ALICE = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"

BUSY = {
  rules: [{ name: "busy", times: 2, then: { reject: "TooManyRequests" } }],
  expect: [{ name: "tried again until it worked", requests: { status: 200 }, count: 1 }]
}.freeze

RSpec.describe "Notifications" do
  it "tries again when APNs is busy", apns: BUSY do
    push(@apns, ALICE, "Goal")
    request = @apns.wait(1, status: 200).first
    expect(request["pushType"]).to eq("alert")
    expect(request["payload"]).to eq("aps" => { "alert" => "Goal" })
  end

  # Your provider; this one shows a client certificate.
  def push(apns, device, text)
    address = URI(apns.url)
    context = OpenSSL::SSL::SSLContext.new
    context.set_params(alpn_protocols: ["h2"], cert_store: OpenSSL::X509::Store.new)
    context.cert_store.add_cert(OpenSSL::X509::Certificate.new(apns.identity["certificateAuthority"]))
    context.add_certificate(
      OpenSSL::X509::Certificate.new(apns.identity["clientCertificate"]), OpenSSL::PKey.read(apns.identity["clientKey"])
    )
    socket = OpenSSL::SSL::SSLSocket.new(TCPSocket.new(address.host, address.port), context)
    socket.hostname = "localhost"
    socket.sync_close = true
    socket.connect
    http = HTTP2::Client.new
    http.on(:frame) { |bytes| socket.write(bytes) }

    3.times do
      status = nil
      stream = http.new_stream
      stream.on(:headers) { |fields| status = fields.to_h[":status"] }
      stream.headers({
        ":method" => "POST", ":scheme" => "https", ":authority" => address.host, ":path" => "/3/device/#{device}",
        "apns-topic" => apns.identity["topic"], "apns-push-type" => "alert"
      }, end_stream: false)
      stream.data({ aps: { alert: text } }.to_json)
      http << socket.readpartial(16_384) until stream.closed?
      break if status == "200"
    end
    socket.close
  end
end
