"""Looks for parts of secrets in logs, in every form that a program writes bytes in.

    python sweep.py SECRETS LOG...      SECRETS holds one a line

Twelve characters in a row of a secret are found as they are, in base64 of all three alignments (url-safe too) and in
hex. The search is tried first on a log that holds one in each form.
"""

import base64
import sys
from pathlib import Path

WINDOW = 12
SHORTEST = 16


def forms(secret: bytes) -> list[str]:
    """Everything that a secret can look like."""
    found = [secret.decode("latin-1"), secret.hex(), secret.hex().upper()]
    for shift in range(3):
        packed = base64.b64encode(b"\0" * shift + secret).decode()
        # The first characters hold bytes of the filling, the last ones less than a byte.
        packed = packed.rstrip("=")[4 if shift else 0 : -1]
        found += [packed, packed.replace("+", "-").replace("/", "_")]
    return found


def windows(secrets: list[bytes]) -> dict[str, int]:
    """Every part that must stand nowhere, with the number of its secret."""
    return {
        form[at : at + WINDOW]: number
        for number, secret in enumerate(secrets)
        for form in forms(secret)
        for at in range(len(form) - WINDOW + 1)
    }


def leaks(parts: dict[str, int], log: str) -> list[tuple[int, int]]:
    """Where a part of a secret stands: line and number of the secret."""
    return [
        (number, parts[line[at : at + WINDOW]])
        for number, line in enumerate(log.splitlines(), 1)
        for at in range(len(line) - WINDOW + 1)
        if line[at : at + WINDOW] in parts
    ]


def public(secret: str) -> list[bytes]:
    """The parts of a secret that are secret: of a JWT not the header, which is the same in every one."""
    parts = secret.split(".")
    return [part.encode() for part in (parts[1:] if len(parts) == 3 else parts)]


def main(secrets_file: str, *logs: str) -> int:
    lines = {line.strip() for line in Path(secrets_file).read_text().splitlines()}
    lines = {line for line in lines if not line.startswith("-----")}
    secrets = sorted({part for line in lines for part in public(line) if len(part) >= SHORTEST})
    assert len(secrets) >= 10, f"only {len(secrets)} secrets were seen"
    parts = windows(secrets)

    # A leak in any form has to be found, wherever in a line it stands.
    planted = secrets[len(secrets) // 2]
    for before in ("", "x", "xy"):
        for form in (
            planted,
            planted.hex().encode(),
            base64.b64encode(before.encode() + planted),
            base64.urlsafe_b64encode(before.encode() + planted),
        ):
            piece = form[6 : 6 + 24].decode()
            assert leaks(parts, f'level=INFO reason="{before}{piece}" done'), f"{piece} is not found"
    assert not leaks(parts, "level=INFO nothing of the kind stands here, whatever was asked"), "found where nothing is"

    failed = 0
    read = 0
    for log in logs:
        text = Path(log).read_text(errors="replace")
        read += len(text)
        for line, number in leaks(parts, text):
            failed += 1
            print(f"  {Path(log).name}:{line} holds a part of secret {number}")
    print(f"secrets: {len(secrets)} looked for in {len(logs)} logs of {read} characters, {failed} found")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
