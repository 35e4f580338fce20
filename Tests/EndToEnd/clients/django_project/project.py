"""A Django project of a few lines that pushes by django-push-notifications, unmodified, to the server of `mock-apns exec`.

`project.py TOKEN…` sends one message to a device, or a bulk to several, and prints as JSON what the library returned,
what became of each push, and which devices are still active. With CERTIFICATE set to a PEM file it uses that instead of a provider token.
"""

import json
import os
import pathlib
import sys

import django
from aioapns.connection import APNsDevelopmentClientProtocol
from django.conf import settings
from django.core.management import call_command

certificate = os.environ.get("CERTIFICATE")
APNS = {"PLATFORM": "APNS", "USE_SANDBOX": True, "TOPIC": os.environ["MOCK_APNS_TOPIC"]}
APNS |= {"CERTIFICATE": certificate} if certificate else {
    "AUTH_KEY_PATH": os.environ["MOCK_APNS_KEY"], "AUTH_KEY_ID": os.environ["MOCK_APNS_KEY_ID"],
    "TEAM_ID": os.environ["MOCK_APNS_TEAM_ID"]}
settings.configure(
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "push_notifications"],
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    PUSH_NOTIFICATIONS_SETTINGS={
        "CONFIG": "push_notifications.conf.AppConfig", "UPDATE_ON_DUPLICATE_REG_ID": True, "APPLICATIONS": {"app": APNS}},
)
django.setup()
call_command("migrate", verbosity=0)

# The library knows Apple's hosts alone.
APNsDevelopmentClientProtocol.APNS_SERVER = os.environ["MOCK_APNS_HOST"]
APNsDevelopmentClientProtocol.APNS_PORT = int(os.environ["MOCK_APNS_PORT"])

# It gives each push one second, which is not enough on a machine that is busy with other tests.
import asyncio  # noqa: E402

WAIT = asyncio.wait_for
asyncio.wait_for = lambda awaitable, timeout: WAIT(awaitable, timeout and 300)

from push_notifications import apns_async  # noqa: E402
from push_notifications.exceptions import APNSError  # noqa: E402
from push_notifications.models import APNSDevice  # noqa: E402

# Of a bulk it tells the failures without their devices.
RESULTS = {}
SEND = apns_async._send_request


async def send(client, request):
    token, result = await SEND(client, request)
    RESULTS[token] = "Success" if result.is_successful else result.description
    return token, result


apns_async._send_request = send

for token in sys.argv[1:]:
    APNSDevice.objects.create(registration_id=token, application_id="app")
# Version 3.3 hands the path of the setting to aioapns, which wants the key.
creds = None if certificate else apns_async.TokenCredentials(
    pathlib.Path(os.environ["MOCK_APNS_KEY"]).read_text(), APNS["AUTH_KEY_ID"], APNS["TEAM_ID"])
devices = APNSDevice.objects.order_by("id")
try:
    recipient = devices if len(sys.argv) > 2 else devices.get()
    answer = recipient.send_message("Goal", creds=creds)
except APNSError as error:
    answer = str(error)
print(json.dumps({
    "answer": answer,
    "results": RESULTS,
    "active": list(APNSDevice.objects.filter(active=True).order_by("id").values_list("registration_id", flat=True))}))
