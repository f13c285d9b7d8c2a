"""Python mcp signs in by itself. Usage: python sign_in.py URL legacy|auto|VERSION"""

import asyncio
import re
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client
from mcp.shared.auth import OAuthClientMetadata

CALLBACK = "http://127.0.0.1:53682/callback"


class Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def consent(address: str, name: str) -> str:
    """Reads the consent page as a person would, says yes, and tells where the browser is sent then."""
    opener = urllib.request.build_opener(Stay)
    page = opener.open(address).read().decode()
    request = re.search(r'name="request" value="([^"]+)"', page)
    action = re.search(r'<form method="post" action="([^"]+)"', page)
    assert request and action, page[:300]
    target = urllib.parse.urljoin(address, action[1])
    body = urllib.parse.urlencode({"request": request[1], "name": name, "decision": "allow"}).encode()
    origin = "{0.scheme}://{0.netloc}".format(urllib.parse.urlsplit(target))
    try:
        answer = opener.open(urllib.request.Request(target, body, {"origin": origin}))
    except urllib.error.HTTPError as redirect:
        answer = redirect
    assert answer.status == 303, answer.status
    return answer.headers["location"]


class Storage:
    """What the SDK keeps between the steps."""

    def __init__(self):
        self.tokens = None
        self.client = None
        self.saved = 0

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens
        self.saved += 1

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


class SignIn:
    def __init__(self, url: str, mode: str):
        self.url = url
        self.mode = mode
        self.storage = Storage()
        self.asked: list[str] = []
        self.back = ""
        self.name = f"python {mode} {time.time()}"

    def provider(self) -> OAuthClientProvider:
        metadata = OAuthClientMetadata(
            client_name="e2e",
            redirect_uris=[CALLBACK],
            grant_types=["authorization_code", "refresh_token"],
            response_types=["code"],
            token_endpoint_auth_method="none",
        )

        async def redirect(address: str) -> None:
            self.asked.append(address)
            self.back = await asyncio.to_thread(consent, address, self.name)

        async def callback() -> AuthorizationCodeResult:
            fields = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.back).query))
            return AuthorizationCodeResult(code=fields["code"], state=fields.get("state"), iss=fields.get("iss"))

        return OAuthClientProvider(self.url, metadata, self.storage, redirect, callback)

    async def used(self, calls: list[tuple[str, dict]]) -> list[dict]:
        transport = streamable_http_client(self.url, http_client=create_mcp_http_client(auth=self.provider()))
        async with Client(transport, mode=self.mode) as client:
            return [(await client.call_tool(name, arguments)).structured_content for name, arguments in calls]


async def main(url: str, mode: str) -> int:
    failures: list[str] = []
    passed = 0

    def check(promise: str, holds: object, seen: object) -> None:
        nonlocal passed
        if holds:
            passed += 1
        else:
            failures.append(f"{promise}; saw {str(seen)[:400]}")

    session = SignIn(url, mode)
    calls = [("get_usage", {}), ("resolve_artist", {"q": "Four Tet"})]
    usage, found = await session.used(calls)
    asked = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(session.asked[0]).query)) if session.asked else {}
    origin = "{0.scheme}://{0.netloc}".format(urllib.parse.urlsplit(url))
    check("the browser was opened once", len(session.asked) == 1, session.asked)
    check("with S256", asked.get("code_challenge_method") == "S256", asked)
    check("for the resource of the metadata", asked.get("resource") == f"{origin}/mcp", asked)
    check("get_usage answers", usage["ok"] and not usage["meta"]["anonymous"], usage)
    check("an anonymous tool is charged to the account", found["meta"]["quota"]["used"] > 0, found["meta"])
    # A second session with the same storage needs no browser.
    [again] = await session.used([("get_usage", {})])
    check("the token is used again", again["data"]["used"] > 0 and len(session.asked) == 1, again)
    print(f"Python mcp signs in, {mode}: {passed} passed, {len(failures)} failed")
    for failure in failures:
        print(f"  {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main(*sys.argv[1:])))
