"""Python, with httpx and PyJWT. Run it with: mock-apns exec -- python3 push.py DEVICE-TOKEN...

SSL_CERT_FILE, which exec sets, lets httpx trust the server.
"""

import os
import sys
import time

import httpx
import jwt

key = open(os.environ["MOCK_APNS_KEY"]).read()
claims = {"iss": os.environ["MOCK_APNS_TEAM_ID"], "iat": int(time.time())}
token = jwt.encode(claims, key, "ES256", headers={"kid": os.environ["MOCK_APNS_KEY_ID"]})
fields = {
    "authorization": f"bearer {token}",
    "apns-topic": os.environ["MOCK_APNS_TOPIC"],
    "apns-push-type": "alert",
}
with httpx.Client(http2=True, base_url=os.environ["MOCK_APNS_URL"], headers=fields) as client:
    for device in sys.argv[1:]:
        print(client.post(f"/3/device/{device}", json={"aps": {"alert": "Hello"}}).status_code)
