//go:build ignore

// Go, with nothing but its standard library. Run it with: mock-apns exec -- go run push.go DEVICE-TOKEN...
//
// SSL_CERT_FILE, which exec sets, lets Go trust the server (on Linux; elsewhere set tls.Config.RootCAs).
package main

import (
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"
)

func sign() string {
	text, err := os.ReadFile(os.Getenv("MOCK_APNS_KEY"))
	check(err)
	block, _ := pem.Decode(text)
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	check(err)
	encode := base64.RawURLEncoding.EncodeToString
	header := fmt.Sprintf(`{"alg":"ES256","kid":%q}`, os.Getenv("MOCK_APNS_KEY_ID"))
	claims := fmt.Sprintf(`{"iss":%q,"iat":%d}`, os.Getenv("MOCK_APNS_TEAM_ID"), time.Now().Unix())
	message := encode([]byte(header)) + "." + encode([]byte(claims))
	digest := sha256.Sum256([]byte(message))
	r, s, err := ecdsa.Sign(rand.Reader, key.(*ecdsa.PrivateKey), digest[:])
	check(err)
	signature := make([]byte, 64)
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	return message + "." + encode(signature)
}

func main() {
	token := sign()
	for _, device := range os.Args[1:] {
		body := strings.NewReader(`{"aps":{"alert":"Hello"}}`)
		request, err := http.NewRequest("POST", os.Getenv("MOCK_APNS_URL")+"/3/device/"+device, body)
		check(err)
		request.Header.Set("authorization", "bearer "+token)
		request.Header.Set("apns-topic", os.Getenv("MOCK_APNS_TOPIC"))
		request.Header.Set("apns-push-type", "alert")
		answer, err := http.DefaultClient.Do(request)
		check(err)
		answer.Body.Close()
		fmt.Println(answer.StatusCode)
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
