#!/usr/bin/env python3
"""Writes what a name must lead to, from the public data alone: `names.tsv` beside this file.

    python3 tests/it/identity/expect.py ARTISTS MASTERS RELEASES MUSICBRAINZ > tests/it/identity/names.tsv

It shares no code with the program, and knows nothing of how the program answers. ARTISTS, MASTERS and RELEASES are
extracts of the Discogs data dumps, MUSICBRAINZ is a file of core facts; all are CC0. What comes out are facts: a name,
what is to be expected of it, and the ids of the artists that it can mean.

**Who there is.** Every Discogs artist with a record, and everybody credited on a master, a release or a track, but for
the records that stand for nobody in particular. A Discogs id that MusicBrainz links as a further one of an artist is
that artist. Artists of MusicBrainz without a Discogs id are there too; their MBID stands for them.

**Who bears a name.** Two artists are namesakes when their names are equal but for case and for the number in brackets
that Discogs puts behind a name to tell namesakes apart.

**What is asked.** The name of every artist record; of every such name with a number the name without it; and of every
group of namesakes, records or not, each name and the plain one.

**What is to be expected.**

- `one`: nobody else bears it, and no other name is alike once accents, case, signs, spaces and a leading article are
  left out. That artist, and sure of it.
- `unsure`: the same, but nothing can vouch for it: it has no letter or digit, or a release is credited to several
  artists whose names, joined, read like it. That artist, and not sure of it.
- `told`: the name carries the number of one artist, or another name is only alike. That artist and no other; how sure,
  is free.
- `several`: a plain name that namesakes share. Never sure, and all of them named.
- `numbered`: a plain name that only one numbered artist bears here. The number says that there are others: never sure.
"""

import gzip
import json
import re
import sys
import unicodedata
import xml.etree.ElementTree as ElementTree

NOBODY = {0, 194, 355, 118760}
NUMBER = re.compile(r" \((\d+)\)$")


def records(path):
    with gzip.open(path) as file:
        return ElementTree.parse(file).getroot()


def clean(text):
    return "".join(c for c in text or "" if unicodedata.category(c) != "Cc").strip()


def plain(name):
    return NUMBER.sub("", name)


def cased(name):
    return plain(name).lower()


def alike(name):
    letters = unicodedata.normalize("NFKD", plain(name)).casefold()
    letters = re.sub(r"\b(the|and)\b|&", "", letters)
    return "".join(c for c in letters if c.isalnum())


def joined(credits):
    text = ""
    for at, credit in enumerate(credits):
        text += clean(credit.findtext("name"))
        if at + 1 < len(credits):
            join = clean(credit.findtext("join"))
            text += ", " if join in ("", ",") else f" {join} "
    return text


def main(artists_path, masters_path, releases_path, musicbrainz_path):
    held = {int(a.findtext("id")): clean(a.findtext("name")) for a in records(artists_path)}
    names, together = {}, set()
    for path in (masters_path, releases_path):
        for record in records(path):
            for credit in record.iter("artist"):
                if credit.findtext("name"):
                    names.setdefault(int(credit.findtext("id") or 0), clean(credit.findtext("name")))
            credits = record.findall("artists/artist")
            if len(credits) > 1:
                together.add(alike(joined(credits)))
    names.update(held)
    with open(musicbrainz_path, encoding="utf-8") as file:
        musicbrainz = json.load(file)
    for artist in musicbrainz["artists"] + musicbrainz["nirvana"]:
        ids = artist.get("discogs_artist_ids", [])
        names.setdefault(ids[0] if ids else artist["id"], artist["name"])
        for further in ids[1:]:
            names.pop(further, None)
    names = {id_: name for id_, name in names.items() if id_ not in NOBODY and name}

    bearers, resembling = {}, {}
    for id_, name in names.items():
        bearers.setdefault(cased(name), set()).add(id_)
        resembling.setdefault(alike(name), set()).add(id_)
    asked = {names[id_] for id_ in held if id_ in names}
    asked |= {plain(name) for name in asked}
    for group in bearers.values():
        if len(group) > 1:
            asked |= {names[id_] for id_ in group} | {plain(names[id_]) for id_ in group}

    for name in sorted(asked):
        group = bearers[cased(name)]
        own = {id_ for id_ in group if names[id_] == name}
        if NUMBER.search(name):
            kind, ids = "told", own
        elif len(group) > 1:
            kind, ids = "several", group
        elif not own and NUMBER.search(names[min(group)]):
            kind, ids = "numbered", group
        elif not alike(name) or alike(name) in together:
            kind, ids = "unsure", group
        elif len(resembling[alike(name)]) > 1:
            kind, ids = "told", group
        else:
            kind, ids = "one", group
        print(name, kind, ",".join(sorted(map(str, ids))), sep="\t")


main(*sys.argv[1:])
