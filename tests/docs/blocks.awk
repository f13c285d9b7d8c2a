# Takes a page apart: each block of commands, each command that is a cell of a table, each block of a file or of an
# output that says so, with the notes before it. docs/style.md says how notes are written.
#
#   awk -v page=NAME [-v plan=FOLDER] -f blocks.awk NAME
#
# Prints a line for each part; with a plan, puts each into a folder of its own below it. Ends with 1 when a note is not
# one, or stands before nothing.

function complain(what) {
  printf "%s:%d: %s\n", page, NR, what > "/dev/stderr"
  wrong = 1
}

# Whether a comment means to be a note.
function is_note(note) {
  return note ~ /^(not run|terminal|with|type|where|bring|given|file|set|edit|row "[^"]*"):/ || note == "output"
}

function check(note, kind,    words, whole) {
  whole = note
  if (whole ~ /^row "/) { if (kind != "row") complain("only a table has rows: " whole); sub(/^row "[^"]+": /, "", note) }
  if (note ~ /^not run: /) { if (split(note, words, " ") < 5) complain("a reason has more words: " whole); if (kind != "sh" && kind != "row") complain("only commands are run: " whole) }
  else if (note ~ /^terminal: [a-z]+(, until "[^"]+")?$/ || note ~ /^with: .+ for [^ ]+( [^ ]+)*$/ || note ~ /^type: ./) { if (kind != "sh" && kind != "row") complain("only commands have this: " whole) }
  else if (note ~ /^where: (checkout|server|folder)$/) { }
  else if (note ~ /^(bring|given): [^ ]+$/) { if (kind == "text") complain("an output needs nothing: " whole) }
  else if (note ~ /^(file|set): \/[^ ]+$/ || note ~ /^edit: [^ ]+$/) { if (kind != "file") complain("only a block that is no command is put into a file: " whole) }
  else if (note == "output") { if (kind != "text") complain("only a text is an output: " whole) }
  else complain("this is not a note: " whole)
}

function put(kind, line, body,    i, place, told, note, mine) {
  told = "run"
  mine = 0
  for (i = 1; i <= notes; i++) {
    note = noted[i]
    if (kind == "row" && match(note, /^row "[^"]+": /)) {
      # Of which row: the words after the program's own name begin so.
      place = substr(note, 6, RLENGTH - 8)
      if (index(body, place) != 1 && index(body, "ono-sendai " place) != 1) continue
      note = substr(note, RLENGTH + 1)
      used[i] = 1
    }
    kept[++mine] = note
    if (note ~ /^not run: /) told = note
  }
  printf "%s:%d %s %s\n", page, line, kind, told
  if (plan == "") return
  place = sprintf("%s/%04d", plan, ++number)
  system("mkdir -p " place)
  print page > (place "/page"); print line > (place "/line"); print kind > (place "/kind")
  printf "%s", body > (place "/body")
  printf "" > (place "/notes")
  for (i = 1; i <= mine; i++) print kept[i] > (place "/notes")
  close(place "/page"); close(place "/line"); close(place "/kind"); close(place "/body"); close(place "/notes")
}

# The notes so far belong to nothing.
function drop(    i) {
  for (i = 1; i <= notes; i++) if (is_note(noted[i])) complain("this note stands before nothing: " noted[i])
  notes = 0
}

function end_table(    i) {
  for (i = 1; i <= notes; i++) if (noted[i] ~ /^row "/ && !used[i]) complain("no row of the table is called so: " noted[i])
  in_table = 0
  notes = 0
}

in_block {
  if ($0 ~ /^ *```[ ]*$/) {
    in_block = 0
    if (kind != "") put(kind, began, body)
    notes = 0
  } else {
    line = $0
    if (substr(line, 1, indent) ~ /^ *$/) line = substr(line, indent + 1)
    body = body line "\n"
  }
  next
}

in_table && !/^ *\|/ { end_table() }

in_comment || /^ *<!--/ {
  line = $0
  sub(/^ +/, "", line)
  comment = in_comment ? comment " " line : line
  in_comment = comment !~ /-->/
  if (!in_comment) {
    sub(/^<!-- */, "", comment)
    sub(/ *-->.*$/, "", comment)
    noted[++notes] = comment
    delete used[notes]
  }
  next
}

/^ *```/ {
  in_block = 1
  began = NR
  body = ""
  language = $0
  match(language, /^ */)
  indent = RLENGTH
  sub(/^ *`+/, "", language)
  sub(/ +$/, "", language)
  kind = language == "sh" ? "sh" : language == "text" ? "text" : "file"
  saying = 0
  for (i = 1; i <= notes; i++) {
    if (kind == "sh" || is_note(noted[i])) check(noted[i], kind)
    if (is_note(noted[i])) saying = 1
  }
  if (kind != "sh" && !saying) kind = ""
  next
}

/^ *\|/ {
  if (!in_table) {
    in_table = 1
    for (i = 1; i <= notes; i++) if (is_note(noted[i])) check(noted[i], "row")
  }
  count = split($0, cells, "|")
  for (c = 2; c < count; c++) {
    cell = cells[c]
    sub(/^ +/, "", cell)
    if (cell !~ /^`/) continue
    split(cell, spans, "`")
    # The whole cell, or with a remark after a comma; not the beginning of a sentence.
    if (spans[3] !~ /^ *$/ && spans[3] !~ /^,/) continue
    command = spans[2]
    plain = command
    while (plain ~ /^[A-Z_]+=[^ ]* /) sub(/^[^ ]* /, "", plain)
    if (plain ~ /^((ono-sendai|cargo|systemctl|journalctl|dpkg) |tests\/[a-z0-9\/]+( |$))/) put("row", NR, command "\n")
  }
  next
}

/^ *$/ { next }

{ drop() }

END {
  if (in_table) end_table()
  drop()
  exit wrong
}
