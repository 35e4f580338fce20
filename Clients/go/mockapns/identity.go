package mockapns

import (
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Identity is what a provider needs to push to a server. Texts are PEM.
type Identity struct {
	// URL is where to push to, such as https://127.0.0.1:40123.
	URL string `json:"apns"`
	// CA is the certificate authority to trust.
	CA string `json:"certificateAuthority"`
	// Key is what provider tokens are signed with, as in a .p8 file; empty if the scenario has a key of its own.
	Key    string `json:"signingKey"`
	KeyID  string
	TeamID string
	// Topic is a topic to push to: the app's bundle id.
	Topic string
	// ClientCert and ClientKey are a client certificate for a provider that signs no tokens.
	ClientCert string `json:"clientCertificate"`
	ClientKey  string
	// ClientStore has both in PKCS#12, with the password mock-apns.
	ClientStore []byte
	// ManageURLs are where to manage broadcast channels, an address for each --manage-port. If there is none, use URL.
	ManageURLs         []string `json:"manage"`
	ManageEnvironments []string
}

// identify reads the identity, which another scenario may change.
func (apns *APNs) identify() error {
	var identity Identity
	if err := apns.admin.call("GET", "/identity", nil, &identity); err != nil {
		return err
	}
	if apns.mapPort != nil {
		address, err := url.Parse(identity.URL)
		if err != nil {
			return err
		}
		port, _ := strconv.Atoi(address.Port())
		identity.URL = "https://" + apns.mapPort(port)
	}
	apns.Identity, apns.token = identity, ""
	return nil
}

// TLSConfig is for a client that trusts this server and no other.
func (apns *APNs) TLSConfig() *tls.Config {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(apns.CA))
	return &tls.Config{RootCAs: roots}
}

// Client is a client for HTTP/2 that trusts this server and no other. Each call returns the same one, until Play or Reset, so
// that pushes share a connection; for another, make a client with TLSConfig. Its connections are closed at the end of the
// test.
func (apns *APNs) Client() *http.Client {
	apns.lock.Lock()
	defer apns.lock.Unlock()
	if apns.client == nil {
		apns.client = &http.Client{Transport: &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: apns.TLSConfig()}}
		apns.t.Cleanup(apns.client.CloseIdleConnections)
	}
	return apns.client
}

// Token is a provider token, for the header "authorization: bearer TOKEN". It stays the same for half an hour, since
// APNs rejects providers that change it too often.
func (apns *APNs) Token() string {
	apns.t.Helper()
	apns.lock.Lock()
	defer apns.lock.Unlock()
	if apns.token == "" || time.Since(apns.signed) > 30*time.Minute {
		now := time.Now()
		apns.token, apns.signed = apns.TokenIssuedAt(now), now
	}
	return apns.token
}

// TokenIssuedAt is a provider token of another time, such as an expired one.
func (apns *APNs) TokenIssuedAt(issued time.Time) string {
	apns.t.Helper()
	token, err := apns.sign(issued)
	apns.check(err)
	return token
}

func (apns *APNs) sign(issued time.Time) (string, error) {
	block, _ := pem.Decode([]byte(apns.Key))
	if block == nil {
		return "", fmt.Errorf("the signing key %s is the scenario's own; the server does not hand it out", apns.KeyID)
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return "", err
	}
	private, isECDSA := key.(*ecdsa.PrivateKey)
	if !isECDSA {
		return "", errors.New("the signing key is not for ES256")
	}
	header, _ := json.Marshal(JSON{"alg": "ES256", "kid": apns.KeyID})
	claims, _ := json.Marshal(JSON{"iss": apns.TeamID, "iat": issued.Unix()})
	encode := base64.RawURLEncoding.EncodeToString
	message := encode(header) + "." + encode(claims)
	digest := sha256.Sum256([]byte(message))
	r, s, err := ecdsa.Sign(rand.Reader, private, digest[:])
	if err != nil {
		return "", err
	}
	signature := make([]byte, 64)
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	return message + "." + encode(signature), nil
}

// ClientCertificate is a client certificate and its key.
type ClientCertificate struct {
	Certificate, Key string // PEM
	Store            []byte // both in PKCS#12
	Password         string // of Store
	// Topics are what the server says: of Identity's certificate the bundle id alone, though it is for .voip and others, too.
	Topics []string
}

// TLS is the certificate for tls.Config.Certificates.
func (certificate ClientCertificate) TLS() (tls.Certificate, error) {
	return tls.X509KeyPair([]byte(certificate.Certificate), []byte(certificate.Key))
}

// ClientCertificate is a client certificate of another kind than Identity's, or for another topic; either can be empty.
// The kinds for one topic are voip, pass, website, watchkit and mdm; the rejected ones are expired, revoked,
// wrong-environment, unknown-authority and not-push.
func (apns *APNs) ClientCertificate(kind, topic string) ClientCertificate {
	apns.t.Helper()
	query := url.Values{}
	if kind != "" {
		query.Set("kind", kind)
	}
	if topic != "" {
		query.Set("topic", topic)
	}
	var certificate ClientCertificate
	apns.must("GET", "/identity/certificate?"+query.Encode(), nil, &certificate)
	return certificate
}

// Dir is a folder with what a provider needs as files, for as long as the test runs: ca.pem, AuthKey_ABC123DEFG.p8,
// client.pem, client.key and client.p12.
func (apns *APNs) Dir() string {
	apns.t.Helper()
	if apns.folder == "" && apns.process != nil {
		var err error // in the folder that goes when the process is killed, too
		apns.folder, err = os.MkdirTemp(apns.process.folder, "provider-")
		apns.check(err)
	} else if apns.folder == "" {
		apns.folder = apns.t.TempDir()
	}
	apns.write("ca.pem", apns.CA)
	apns.write("client.pem", apns.ClientCert)
	apns.write("client.key", apns.ClientKey)
	apns.write("client.p12", string(apns.ClientStore))
	if apns.Key != "" {
		apns.write("AuthKey_"+apns.KeyID+".p8", apns.Key)
	}
	return apns.folder
}

func (apns *APNs) write(name, text string) string {
	apns.t.Helper()
	path := filepath.Join(apns.folder, name)
	apns.check(os.WriteFile(path, []byte(text), 0o600))
	return path
}

// Where systems keep the authorities that they trust: Debian, Alpine and others; macOS and BSD; Fedora.
var roots = []string{"/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/cert.pem", "/etc/pki/tls/certs/ca-bundle.crt"}

// The variables that name certificates to trust, each with the variables that its programs fall back to.
var bundles = map[string][]string{
	"SSL_CERT_FILE":       {"SSL_CERT_FILE"},
	"REQUESTS_CA_BUNDLE":  {"REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"},
	"CURL_CA_BUNDLE":      {"CURL_CA_BUNDLE", "SSL_CERT_FILE"},
	"NODE_EXTRA_CA_CERTS": {"NODE_EXTRA_CA_CERTS"},
}

// Env has the variables that mock-apns exec sets, for a provider in another process:
// command.Env = append(os.Environ(), apns.Env()...).
func (apns *APNs) Env() []string {
	apns.t.Helper()
	folder := apns.Dir()
	address, err := url.Parse(apns.URL)
	apns.check(err)
	env := []string{
		"MOCK_APNS_URL=" + apns.URL,
		"MOCK_APNS_HOST=" + address.Hostname(),
		"MOCK_APNS_PORT=" + address.Port(),
		"MOCK_APNS_ADMIN_URL=" + apns.AdminURL,
		"MOCK_APNS_CERTS=" + folder,
		"MOCK_APNS_CA=" + filepath.Join(folder, "ca.pem"),
		"MOCK_APNS_KEY_ID=" + apns.KeyID,
		"MOCK_APNS_TEAM_ID=" + apns.TeamID,
		"MOCK_APNS_TOPIC=" + apns.Topic,
		"MOCK_APNS_CLIENT_CERT=" + filepath.Join(folder, "client.pem"),
		"MOCK_APNS_CLIENT_KEY=" + filepath.Join(folder, "client.key"),
	}
	if apns.Key != "" {
		env = append(env, "MOCK_APNS_KEY="+filepath.Join(folder, "AuthKey_"+apns.KeyID+".p8"))
	}
	if apns.admin.token != "" {
		env = append(env, "MOCK_APNS_ADMIN_TOKEN="+apns.admin.token)
	}
	for i := len(apns.ManageURLs) - 1; i >= 0; i-- { // of several values the last counts, which is that of the first address
		manage, err := url.Parse(apns.ManageURLs[i])
		apns.check(err)
		env = append(env, "MOCK_APNS_MANAGE_URL="+apns.ManageURLs[i], "MOCK_APNS_MANAGE_PORT="+manage.Port())
		if i < len(apns.ManageEnvironments) && apns.ManageEnvironments[i] != "serverName" {
			env = append(env, "MOCK_APNS_MANAGE_"+strings.ToUpper(apns.ManageEnvironments[i])+"_URL="+apns.ManageURLs[i])
		}
	}
	for name, origins := range bundles {
		env = append(env, name+"="+apns.write(strings.ToLower(name)+".pem", trusted(name, origins)+apns.CA))
	}
	for _, name := range []string{"no_proxy", "NO_PROXY"} {
		hosts := address.Hostname() + ",localhost,127.0.0.1,::1"
		if known := firstSet(name, "no_proxy", "NO_PROXY"); known == "*" {
			hosts = known
		} else if known != "" {
			hosts = known + "," + hosts
		}
		env = append(env, name+"="+hosts)
	}
	return env
}

// trusted has the certificates that programs would trust without us: those that a variable names, or the system's.
func trusted(name string, origins []string) string {
	var files []string
	for _, origin := range origins {
		files = append(files, os.Getenv(origin))
	}
	if name != "NODE_EXTRA_CA_CERTS" { // Node trusts its own roots besides
		files = append(files, roots...)
	}
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil && len(text) > 0 {
			return string(text) + "\n"
		}
	}
	return ""
}

func firstSet(names ...string) string {
	for _, name := range names {
		if value := os.Getenv(name); value != "" {
			return value
		}
	}
	return ""
}
