"""What every foreign client must see; the same lists as lib/walk.mjs, for clients in Python."""

import json
import os
import pathlib
import traceback
from dataclasses import dataclass, field
from typing import Any, Awaitable, Callable

from jsonschema import Draft202012Validator

ARTIST = "Aphex Twin"
TOKEN = os.environ.get("ONO_TOKEN")
# What a client has to send beside its own headers.
HEADERS = {"Authorization": f"Bearer {TOKEN}"} if TOKEN else {}
CALLS = json.loads((pathlib.Path(__file__).parent.parent / "lib/calls.json").read_text(encoding="utf-8"))
RESOURCES = [f"hosaka://{name}" for name in ("capabilities", "dossier-manifest", "envelope-schema", "semantics-dictionary")]


@dataclass
class Foreign:
    """A client of any era, answering plain protocol results."""

    tools: Callable[[], Awaitable[dict]]
    resources: Callable[[], Awaitable[dict]]
    call: Callable[[str, dict], Awaitable[dict]]
    read: Callable[[str], Awaitable[dict]]


@dataclass
class Report:
    """Counts checks and keeps what the failed ones saw."""

    passed: int = 0
    failures: list[str] = field(default_factory=list)

    def check(self, promise: str, holds: Any, seen: Any) -> None:
        if holds:
            self.passed += 1
        else:
            self.failures.append(f"{promise}; saw {json.dumps(seen, default=str)[:600]}")


def _answer(report: Report, what: str, result: dict, schema: Draft202012Validator, ok: bool) -> dict:
    envelope = result.get("structuredContent") or {}
    faults = [fault.message for fault in schema.iter_errors(envelope)]
    report.check(f"{what}: structuredContent is valid against hosaka://envelope-schema", not faults, faults)
    report.check(f'{what}: envelope_version is "1"', envelope.get("envelope_version") == "1", envelope)
    report.check(f"{what}: ok is {ok}", envelope.get("ok") is ok, envelope.get("error"))
    report.check(f"{what}: isError agrees with ok", result.get("isError", False) is not ok, result.get("isError"))
    line = (envelope.get("attribution") or {}).get("line")
    report.check(f"{what}: attribution.line is there", isinstance(line, str) and line, envelope.get("attribution"))
    first = (result.get("content") or [{}])[0]
    # An error presents no data, so its text names the error instead of the sources.
    said = line if ok else (envelope.get("error") or {}).get("type")
    says = first.get("type") == "text" and said and said in first["text"]
    report.check(f"{what}: the first content block is text and says {said}", says, first)
    fixture_mode = (envelope.get("meta") or {}).get("fixture_mode")
    report.check(f"{what}: meta.fixture_mode is true", fixture_mode is True, envelope.get("meta"))
    return envelope


async def _read_json(report: Report, client: Foreign, uri: str) -> Any:
    contents = (await client.read(uri))["contents"]
    report.check(f"{uri}: one content, of that uri", len(contents) == 1 and contents[0]["uri"] == uri, contents)
    return json.loads(contents[0]["text"])


async def _every_tool(report: Report, client: Foreign) -> None:
    tools = {tool["name"]: tool for tool in (await client.tools())["tools"]}
    report.check("every tool is called", sorted(tools) == sorted(call["tool"] for call in CALLS), sorted(tools))
    schema = Draft202012Validator(await _read_json(report, client, "hosaka://envelope-schema"))
    for call in CALLS:
        tool = call["tool"]
        envelope = _answer(report, tool, await client.call(tool, call["arguments"]), schema, True)
        own = Draft202012Validator(tools[tool]["outputSchema"])
        faults = [fault.message for fault in own.iter_errors(envelope)]
        report.check(f"{tool}: structuredContent is valid against its outputSchema", not faults, faults)
        meta = envelope.get("meta") or {}
        report.check(f"{tool}: answered for the account", meta.get("anonymous") is False, meta)
        report.check(f"{tool}: present", envelope.get("present") is True, envelope.get("reason"))


async def _steps(report: Report, client: Foreign) -> None:
    tools = (await client.tools())["tools"]
    names = [tool["name"] for tool in tools]
    for name in ("resolve_artist", "get_artist"):
        report.check(f"tools/list has {name}", name in names, names)
    for tool in tools:
        name = tool["name"]
        report.check(f"{name}: described", tool.get("description"), tool)
        schemas = [tool.get(which, {}).get("type") for which in ("inputSchema", "outputSchema")]
        report.check(f"{name}: both schemas are objects", schemas == ["object", "object"], schemas)
        hints = [tool.get("annotations", {}).get(hint) for hint in ("readOnlyHint", "destructiveHint", "openWorldHint")]
        report.check(f"{name}: hints are explicit", all(isinstance(hint, bool) for hint in hints), hints)

    uris = [resource["uri"] for resource in (await client.resources())["resources"]]
    report.check("resources/list has the four", set(RESOURCES) <= set(uris), uris)
    capabilities = await _read_json(report, client, "hosaka://capabilities")
    published = json.dumps(capabilities)
    for word in (*names, "invalid_argument"):
        report.check(f"hosaka://capabilities names {word}", f'"{word}"' in published, capabilities)
    raw_schema = await _read_json(report, client, "hosaka://envelope-schema")
    Draft202012Validator.check_schema(raw_schema)
    schema = Draft202012Validator(raw_schema)

    resolved = _answer(report, "resolve", await client.call("resolve_artist", {"q": ARTIST}), schema, True)
    data = resolved.get("data") or {}
    report.check("resolve: present", resolved.get("present") is True, resolved.get("present"))
    state = (resolved.get("ambiguity") or {}).get("state")
    report.check("resolve: one verified identity", state == "none", resolved.get("ambiguity"))
    report.check(f"resolve: the name is {ARTIST}", data.get("name") == ARTIST, data)
    key = data.get("cluster_id")
    report.check("resolve: a cluster_id", isinstance(key, str) and key, data)

    card = _answer(report, "card", await client.call("get_artist", {"key": key}), schema, True)
    facts = card.get("data") or {}
    report.check("card: present", card.get("present") is True, card.get("present"))
    same = facts.get("name") == ARTIST and facts.get("cluster_id") == key
    report.check("card: of the same artist", same, facts)
    ids = [(answer.get("meta") or {}).get("request_id") for answer in (resolved, card)]
    report.check("each answer has a request_id of its own", ids[1] and ids[0] != ids[1], ids)

    refused = _answer(report, "bad argument", await client.call("resolve_artist", {"qq": ARTIST}), schema, False)
    error = refused.get("error") or {}
    detail = error.get("data") or {}
    report.check("bad argument: invalid_argument", error.get("type") == "invalid_argument", error)
    verdict = (error.get("recoverable"), error.get("retryable"))
    report.check("bad argument: recoverable, not retryable", verdict == (True, False), error)
    report.check("bad argument: names a parameter", isinstance(detail.get("param"), str), detail)
    meant = detail.get("did_you_mean")
    report.check("bad argument: did_you_mean q", meant == "q" or (isinstance(meant, list) and "q" in meant), detail)
    report.check("bad argument: says how to fix it", isinstance(detail.get("fix_hint"), str), detail)
    corrected = (refused.get("suggested_tool_calls") or [{}])[0]
    applies = corrected.get("tool") == "resolve_artist" and (corrected.get("args") or {}).get("q") == ARTIST
    report.check("bad argument: the corrected call comes with it", applies, refused.get("suggested_tool_calls"))
    report.check("bad argument: does not repeat the value", ARTIST not in json.dumps(error), error)
    absent = [refused.get(name, "missing") for name in ("data", "present", "ambiguity")]
    report.check("bad argument: data, present and ambiguity are null", absent == [None] * 3, absent)


async def walk(label: str, client: Foreign, extra: Callable[[Report], None]) -> int:
    """Takes `client` through the whole list, prints the counts under `label`, answers the exit code."""
    report = Report()
    try:
        await (_every_tool if TOKEN else _steps)(report, client)
        extra(report)
    except Exception:
        report.check("the client gets through", False, traceback.format_exc()[-500:])
    for failure in report.failures:
        print(f"  FAILED {failure}")
    print(f"{label}{', every tool' if TOKEN else ''}: {report.passed} passed, {len(report.failures)} failed")
    return 1 if report.failures else 0
