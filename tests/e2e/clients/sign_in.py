"""Python mcp signs in by itself. Usage: python sign_in.py URL legacy|auto|VERSION

The environment says whom: ONO_E2E_ISSUER, the name of an issuer of its own with ONO_E2E_OTHER, or else the built-in one,
whose key ONO_E2E_KEY names; ONO_E2E_LIFETIME_S is how long an access token is good.
"""

import asyncio
import http.cookiejar
import os
import re
import subprocess
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


def secret(*values: str | None) -> None:
    """Notes what must stand in no log of the server."""
    if file := os.environ.get("ONO_E2E_SECRETS"):
        with open(file, "a", encoding="utf-8") as out:
            out.writelines(f"{value}\n" for value in values if value)


def consent(address: str, name: str) -> str:
    """Goes there as a browser does, says yes on the page of the built-in issuer, and tells where it is sent at the end."""
    opener = urllib.request.build_opener(Stay, urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))

    def go(request: str | urllib.request.Request):
        try:
            return opener.open(request)
        except urllib.error.HTTPError as redirect:
            return redirect

    answer = go(address)
    for _ in range(12):
        if answer.status == 200:
            page = answer.read().decode()
            request = re.search(r'name="request" value="([^"]+)"', page)
            action = re.search(r'<form method="post" action="([^"]+)"', page)
            assert request and action, page[:300]
            address = urllib.parse.urljoin(address, action[1])
            body = urllib.parse.urlencode({"request": request[1], "name": name, "decision": "allow"}).encode()
            origin = "{0.scheme}://{0.netloc}".format(urllib.parse.urlsplit(address))
            answer = go(urllib.request.Request(address, body, {"origin": origin}))
            continue
        assert answer.headers["location"], f"{answer.status} without a location"
        address = urllib.parse.urljoin(address, answer.headers["location"])
        if address.startswith(CALLBACK):
            secret(dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(address).query)).get("code"))
            return address
        answer = go(address)
    raise AssertionError("sent around without an end")


def foreign(token: str) -> str:
    """A good token of the same issuer for somebody else, as the JavaScript half makes it."""
    here = os.path.dirname(os.path.abspath(__file__))
    script = (
        "const { mintedAs, foreignToken } = await import(process.argv[1]); const issuer = process.env.ONO_E2E_ISSUER;"
        "console.log(issuer ? await foreignToken(issuer) : mintedAs(process.argv[2], { aud: 'https://other.example/mcp' }));"
    )
    command = ["node", "--input-type=module", "-e", script, os.path.join(here, "../lib/tokens.mjs"), token]
    made = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    secret(made)
    return made


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
        secret(tokens.access_token, tokens.refresh_token)

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

    lifetime_s = float(os.environ["ONO_E2E_LIFETIME_S"])
    session = SignIn(url, mode)
    transport = streamable_http_client(url, http_client=create_mcp_http_client(auth=session.provider()))
    async with Client(transport, mode=mode) as client:

        async def call(name: str, arguments: dict) -> dict:
            return (await client.call_tool(name, arguments)).structured_content

        found = await call("search_catalog", {"q": "Four Tet"})
        usage = await call("get_usage", {})
        before, saved = session.storage.tokens.access_token, session.storage.saved
        await asyncio.sleep(lifetime_s + 1)
        after = await call("search_catalog", {"q": "Four Tet"})
        again = await call("get_usage", {})
    asked = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(session.asked[0]).query)) if session.asked else {}
    origin = "{0.scheme}://{0.netloc}".format(urllib.parse.urlsplit(url))
    check("the browser was opened once", len(session.asked) == 1, session.asked)
    check("with S256", asked.get("code_challenge_method") == "S256", asked)
    check("for the resource of the metadata", asked.get("resource") == f"{origin}/mcp", asked)
    check("search_catalog answers", found["ok"] and not found["meta"]["anonymous"], found)
    check("it is charged to the account", usage["data"]["used"] > 0, usage)
    check("the call after the end of the token is answered", after["ok"], after)
    check("with a new token, by refresh", session.storage.saved > saved, session.storage.saved)
    check("which is another one", session.storage.tokens.access_token != before, saved)
    check("of the same account", again["data"]["used"] >= usage["data"]["used"], again)
    # A second session with the same storage needs no browser.
    [later] = await session.used([("get_usage", {})])
    check("the tokens are used again", later["ok"] and len(session.asked) == 1, later)
    # A token for another audience is refused, and leads to a sign-in anew.
    stranger = SignIn(url, mode)
    stranger.storage.client = session.storage.client
    token = foreign(session.storage.tokens.access_token)
    stranger.storage.tokens = session.storage.tokens.model_copy(update={"access_token": token, "refresh_token": None})
    [mine] = await stranger.used([("get_usage", {})])
    check("a token for another audience is refused", len(stranger.asked) == 1, stranger.asked)
    check("and its account is signed in anew", mine["ok"] and stranger.storage.tokens.access_token != token, mine)
    print(f"Python mcp signs in, {mode}: {passed} passed, {len(failures)} failed")
    for failure in failures:
        print(f"  {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main(*sys.argv[1:])))
