"""One HTTP/2 connection of the reference driver, on h2."""

import asyncio
import ssl

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions

GOAWAY = 7
HEADER = 9


class Lost(Exception):
    """The connection ended, or did nothing in time, before there was an answer."""


class Unprocessed(Exception):
    """The push was not processed, and can be sent on another connection."""


class Refused(Exception):
    """The stream was reset with REFUSED_STREAM: the push was not processed."""


class Answer:
    """What came for one push."""

    def __init__(self):
        self.fields = {}
        self.body = b""
        self.done = asyncio.get_running_loop().create_future()


class EndlessStreams(h2.connection.H2Connection):
    """Takes no notice of the server's limit of streams."""

    # Below any limit, of no streams as well.
    open_outbound_streams = -1


class Connection:
    """A connection to one server. `ignores_limit` is for tests that want a bad one."""

    def __init__(self, patience, ignores_limit=False):
        config = h2.config.H2Configuration(client_side=True, header_encoding="utf-8")
        self.http2 = (EndlessStreams if ignores_limit else h2.connection.H2Connection)(config)
        self.ignores_limit = ignores_limit
        self.patience = patience
        self.answers = {}
        # Failures since the last success that may be the connection's fault.
        self.failures = 0
        self.is_retired = False
        self.has_ended = False
        self.unread = b""
        # Set, and made anew, when something has changed that a task may wait for.
        self.changed = asyncio.Event()
        self.settings_came = asyncio.Event()
        self.pong = asyncio.Event()

    async def open(self, host, port, context):
        """Connects, and waits for the server's SETTINGS."""
        try:
            async with asyncio.timeout(self.patience):
                self.reader, self.writer = await asyncio.open_connection(host, port, ssl=context)
                self.http2.initiate_connection()
                self.send()
                self.listening = asyncio.create_task(self.listen())
                await self.settings_came.wait()
        except (OSError, ssl.SSLError, TimeoutError) as error:
            self.end()
            raise Lost(f"no connection: {error or 'timed out'}") from error
        if self.has_ended or self.is_retired:
            self.end()
            raise Lost("the connection ended before it was of use")

    # What comes

    async def listen(self):
        try:
            while data := await self.reader.read(65_536):
                self.receive(data)
        except (OSError, ssl.SSLError, h2.exceptions.ProtocolError):
            pass
        self.end()

    def receive(self, data):
        """h2 takes nothing more after a GOAWAY, although earlier streams are still to be answered."""
        self.unread += data
        while len(self.unread) >= HEADER:
            length = HEADER + int.from_bytes(self.unread[:3])
            if len(self.unread) < length:
                break
            frame, self.unread = self.unread[:length], self.unread[length:]
            if frame[3] == GOAWAY:
                self.go_away(int.from_bytes(frame[9:13]) & 0x7FFF_FFFF)
            else:
                for event in self.http2.receive_data(frame):
                    self.take(event)
        self.send()
        self.wake()

    def go_away(self, last):
        self.is_retired = True
        self.settings_came.set()
        for stream in [stream for stream in self.answers if stream > last]:
            self.settle(stream, Unprocessed("GOAWAY"))

    def take(self, event):
        answer = self.answers.get(getattr(event, "stream_id", None))
        match event:
            case h2.events.RemoteSettingsChanged():
                self.settings_came.set()
            case h2.events.PingAckReceived():
                self.pong.set()
            case h2.events.ResponseReceived() if answer:
                answer.fields = dict(event.headers)
            case h2.events.DataReceived():
                self.http2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                if answer:
                    answer.body += event.data
            case h2.events.StreamEnded() if answer:
                self.settle(event.stream_id)
            case h2.events.StreamReset() if answer:
                refused = event.error_code == h2.errors.ErrorCodes.REFUSED_STREAM
                self.settle(event.stream_id, Refused("REFUSED_STREAM") if refused else Lost("the stream was reset"))

    def settle(self, stream, error=None):
        answer = self.answers.pop(stream)
        if not answer.done.done():
            answer.done.set_exception(error) if error else answer.done.set_result(answer)
        self.wake()

    def wake(self):
        self.changed.set()
        self.changed = asyncio.Event()
        if self.is_retired and not self.answers:
            self.end()

    def end(self):
        if not self.has_ended:
            self.has_ended = self.is_retired = True
            self.settings_came.set()
            for stream in list(self.answers):
                self.settle(stream, Lost("the connection ended"))
            if hasattr(self, "writer"):
                self.writer.close()
            self.wake()

    def retire(self):
        """No more pushes; it ends when those that are open have their answers."""
        self.is_retired = True
        self.wake()

    # What goes

    def send(self):
        if data := self.http2.data_to_send():
            self.writer.write(data)

    @property
    def is_full(self):
        limit = self.http2.remote_settings.max_concurrent_streams
        return not self.ignores_limit and self.http2.open_outbound_streams >= limit

    async def push(self, fields, body):
        """Sends a push, and waits for its answer."""
        try:
            async with asyncio.timeout(self.patience):
                while self.is_full and not self.is_retired:
                    await self.changed.wait()
        except TimeoutError:
            raise Unprocessed("no stream is free") from None
        if self.is_retired:
            raise Unprocessed("the connection takes no more")
        stream = self.http2.get_next_available_stream_id()
        answer = self.answers[stream] = Answer()
        try:
            async with asyncio.timeout(self.patience):
                self.http2.send_headers(stream, fields)
                await self.send_body(stream, body)
                return await answer.done
        except TimeoutError:
            self.answers.pop(stream, None)
            try:
                self.http2.reset_stream(stream, h2.errors.ErrorCodes.CANCEL)
                self.send()
            except (h2.exceptions.ProtocolError, OSError):
                pass
            self.wake()
            raise Lost("no answer in time") from None
        except h2.exceptions.ProtocolError as error:
            self.answers.pop(stream, None)
            raise Lost(str(error)) from error

    async def send_body(self, stream, body):
        while stream in self.answers:
            size = min(self.http2.local_flow_control_window(stream), self.http2.max_outbound_frame_size, len(body))
            if size or not body:
                self.http2.send_data(stream, body[:size], end_stream=size == len(body))
                body = body[size:]
                self.send()
                if not body:
                    return
            else:
                self.send()
                await self.changed.wait()

    async def is_alive(self):
        """Whether a PING is acknowledged in time."""
        self.pong.clear()
        self.http2.ping(b"mockapns")
        self.send()
        try:
            async with asyncio.timeout(self.patience):
                await self.pong.wait()
            return True
        except TimeoutError:
            return False
