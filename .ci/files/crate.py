"""Seeds the cache of rocrate-validator with the context of RO-Crate that the package
rocrate brings along, so that the validator needs nothing but PyPI.

usage: crate.py CACHE
"""
import importlib.resources
import io
import sys

from requests.adapters import HTTPAdapter
from requests_cache import CachedSession
from urllib3 import HTTPResponse

context = (importlib.resources.files("rocrate") / "data" / "ro-crate.jsonld").read_bytes()


class Bundled(HTTPAdapter):
    def send(self, request, **_):
        headers = {"Content-Type": "application/ld+json"}
        raw = HTTPResponse(io.BytesIO(context), headers, status=200, preload_content=False)
        return self.build_response(request, raw)


session = CachedSession(cache_name=sys.argv[1], backend="sqlite", expire_after=-1)
session.mount("https://", Bundled())
for _ in range(2):
    response = session.get("https://w3id.org/ro/crate/1.1/context")
assert response.from_cache
