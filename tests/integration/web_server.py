# SPDX-License-Identifier: GPL-3.0-or-later
"""A web server that gives parts of files (RFC 9110, 14), and can be told to be slow, to break off, and to lie."""

import contextlib
import email.utils
import hashlib
import http.server
import re
import ssl
import threading
import time


class Site:
    """What a server has and how it behaves; to be changed at any time. Counts what it was asked for."""

    def __init__(self):
        self.files = {}           # "/a.raw": bytes
        self.ranges = True        # parts are given
        self.etags = True
        self.dates = True
        self.weak = False         # tags are
        self.break_after = None   # bytes of each answer, then the connection ends
        self.breaks = 0           # how many answers that still happens to; -1: all
        self.failures = 0         # how many requests are answered with `failure` first
        self.failure = 503
        self.delay = 0            # seconds before each answer
        self.moved = {}           # path: where it is instead
        self.lie = None           # one of the lies below
        self.chunked = False      # no length is told
        self.change = None        # called before the answer to each part but the first few
        self.requests = []        # (method, path, Range, If-Range)
        self.sent = 0             # bytes of bodies
        self.lock = threading.Lock()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        site = self.server.site
        with site.lock:
            site.requests.append((self.command, self.path, self.headers.get("Range"), self.headers.get("If-Range")))
            number = len(site.requests)
            failing = site.failures != 0
            site.failures -= failing
        if site.change:
            site.change(number)
        time.sleep(site.delay)
        if failing:
            return self.say(site.failure)
        path = self.path.partition("?")[0]
        if path in site.moved:
            return self.say(302, Location=site.moved[path])
        content = site.files.get(path)
        if content is None:
            return self.say(404)
        self.give(site, content)

    def say(self, status, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"words")

    def give(self, site, content):
        etag = f'{"W/" if site.weak else ""}"{hashlib.sha1(content).hexdigest()[:12]}"'
        date = email.utils.formatdate(1_000_000_000 + len(content) % 1000 + content[:1000].count(0), usegmt=True)
        headers = {**({"ETag": etag} if site.etags else {}), **({"Last-Modified": date} if site.dates else {})}
        asked = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        condition = self.headers.get("If-Range")
        same = condition is None or condition in (etag, date)
        start, end, status = 0, len(content), 200
        if asked and site.ranges and same:
            start, end, status = int(asked[1]), min(int(asked[2]) + 1, len(content)), 206
            if start >= len(content):
                return self.say(416, **{"Content-Range": f"bytes */{len(content)}"})
        told_start, told_end, total, body = start, end, len(content), content[start:end]
        if site.lie == "other place" and start:
            told_start, told_end = start + 512, end + 512
        if site.lie == "other bytes, other place" and start:
            told_start, told_end, body = 0, end - start, content[:end - start]
        if site.lie == "larger" and start:
            total += 1 << 20
        if site.lie == "more" and start:
            told_end, body = end + 4096, content[start:end + 4096]
        if site.lie == "no range" and start:
            headers["X"] = "y"
        elif status == 206:
            headers["Content-Range"] = f"bytes {told_start}-{told_end - 1}/{total}"
        if site.lie == "garbage":
            headers["Content-Range"] = "bytes 99999999999999999999999-/*"
        if site.lie == "encoded":
            headers["Content-Encoding"] = "gzip"
        if site.lie == "all" and start:
            status, body = 200, content
            headers.pop("Content-Range", None)
        if site.lie == "half":  # a shorter part than was asked for, which is no lie
            body = body[:max(len(body) // 2, 1)]
            if status == 206:
                headers["Content-Range"] = f"bytes {start}-{start + len(body) - 1}/{total}"
        length = len(body) + (4096 if site.lie == "longer than it is" and start else 0)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if site.chunked:
            self.send_header("Transfer-Encoding", "chunked")
        else:
            self.send_header("Content-Length", str(length))
        self.end_headers()
        with site.lock:
            broken = site.break_after is not None and site.breaks != 0 and len(body) > site.break_after
            if broken and site.breaks > 0:
                site.breaks -= 1
        body = body[:site.break_after] if broken else body
        with contextlib.suppress(OSError):
            for at in range(0, len(body), 65536):
                part = body[at:at + 65536]
                self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part) if site.chunked else part)
                with site.lock:
                    site.sent += len(part)
            if site.chunked and not broken:
                self.wfile.write(b"0\r\n\r\n")
        if broken or length != len(body) and not site.chunked:
            self.close_connection = True


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_):
        pass  # clients go as they like


@contextlib.contextmanager
def web_server(certificate=None):
    """(its Site, its address). certificate: (certificate, key) of TLS"""
    server = Server(("127.0.0.1", 0), Handler)
    server.site = Site()
    scheme = "http"
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        scheme = "https"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield server.site, f"{scheme}://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
