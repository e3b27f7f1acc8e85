"""An object store in memory with the requests of S3 that replicas need, for tests.

Usage: object_store.py ADDRESS PORT [without-conditions | conditions-for-probes]
  without-conditions     ignores If-None-Match
  conditions-for-probes  ignores it but for the objects by which a writer finds out whether it is honoured
"""
import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, quote, unquote, urlsplit

objects, lock = {}, threading.Lock()
honours = sys.argv[3] if len(sys.argv) > 3 else ""


def is_conditional(key):
    if honours == "conditions-for-probes":
        return key.startswith("strongroom-probe-")
    return honours != "without-conditions"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def refuse(self, status, code):
        self.answer(status, f"<Error><Code>{code}</Code></Error>".encode())

    def parts(self):
        split = urlsplit(self.path)
        return unquote(split.path.lstrip("/").partition("/")[2]), parse_qs(split.query)

    def do_PUT(self):
        key, content = self.parts()[0], self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with lock:
            if is_conditional(key) and self.headers.get("If-None-Match") == "*" and key in objects:
                return self.refuse(412, "PreconditionFailed")
            objects[key] = content
        self.answer(200)

    def do_DELETE(self):
        with lock:
            objects.pop(self.parts()[0], None)
        self.answer(204)

    def do_GET(self):
        key, query = self.parts()
        if not key:
            return self.list({name: values[0] for name, values in query.items()})
        with lock:
            content = objects.get(key)
        if content is None:
            return self.refuse(404, "NoSuchKey")
        wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if not wanted:
            return self.answer(200, content)
        first, last = int(wanted[1]), min(int(wanted[2]), len(content) - 1)
        if first >= len(content):
            return self.refuse(416, "InvalidRange")
        self.answer(206, content[first : last + 1], Content_Range=f"bytes {first}-{last}/{len(content)}")

    def list(self, query):
        prefix, count = query.get("prefix", ""), int(query.get("max-keys", 1000))
        start, delimiter = query.get("continuation-token", query.get("start-after", "")), query.get("delimiter")
        with lock:
            keys = sorted(key for key in objects if key.startswith(prefix))
            sizes = {key: len(objects[key]) for key in keys}
        entries = []
        for key in keys:
            end = key.find(delimiter, len(prefix)) if delimiter else -1
            name = key if end < 0 else key[: end + 1]
            # A token is the last name of a page, and may be that of a folder.
            if key <= start or (end >= 0 and start.startswith(name)) or (entries and entries[-1][0] == name):
                continue
            entries.append((name, end >= 0))
        page = entries[:count]
        text = "".join(
            f"<CommonPrefixes><Prefix>{quote(name)}</Prefix></CommonPrefixes>"
            if is_folder
            else f"<Contents><Key>{quote(name)}</Key><Size>{sizes[name]}</Size></Contents>"
            for name, is_folder in page
        )
        more = len(entries) > count
        token = f"<NextContinuationToken>{quote(page[-1][0])}</NextContinuationToken>" if more else ""
        start = "<ListBucketResult><EncodingType>url</EncodingType>"
        body = f"{start}<IsTruncated>{str(more).lower()}</IsTruncated>{text}{token}</ListBucketResult>"
        self.answer(200, body.encode())


ThreadingHTTPServer((sys.argv[1], int(sys.argv[2])), Handler).serve_forever()
