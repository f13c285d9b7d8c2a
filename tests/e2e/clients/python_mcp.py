"""Python mcp. Usage: python python_mcp.py URL legacy|auto|VERSION"""

import asyncio
import sys

import walk
from mcp import Client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client


async def main(url: str, mode: str) -> int:
    spoken = "2025-11-25" if mode == "legacy" else "2026-07-28"
    async with Client(streamable_http_client(url, http_client=create_mcp_http_client(headers=walk.HEADERS)), mode=mode) as client:

        def plain(result):
            return result.model_dump(mode="json", by_alias=True, exclude_none=True)

        async def call(name, arguments):
            result = await client.call_tool(name, arguments)
            # Nulls inside the envelope are part of it; only the result's own absent fields may go.
            return plain(result) | {"structuredContent": result.structured_content}

        async def tools():
            return plain(await client.list_tools())

        async def resources():
            return plain(await client.list_resources())

        async def read(uri):
            return plain(await client.read_resource(uri))

        def extra(report):
            report.check(f"speaks {spoken}", client.protocol_version == spoken, client.protocol_version)

        return await walk.walk(f"Python mcp, {mode}", walk.Foreign(tools, resources, call, read), extra)


if __name__ == "__main__":
    sys.exit(asyncio.run(main(*sys.argv[1:])))
