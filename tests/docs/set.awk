# Sets the keys of a block of TOML in a configuration, as a person would with an editor: in the section where they stand.
#
#   awk -f set.awk BLOCK CONFIGURATION

function key_of(line) {
  sub(/ *=.*/, "", line)
  sub(/^ +/, "", line)
  return line
}

function is_key(line) { return line ~ /^[a-z_0-9]+ *=/ }

FNR == NR {
  if (/^\[\[/) { more = more "\n" $0 "\n"; in_more = 1 }
  else if (/^\[/) { section = $0; in_more = 0 }
  else if (in_more) more = more $0 "\n"
  else if (is_key($0)) {
    if (!(section in lines)) order[++sections] = section
    lines[section] = lines[section] $0 "\n"
    set[section, key_of($0)] = 1
  }
  next
}

FNR == 1 { section = "" }

/^\[/ {
  section = $0
  print
  if (section in lines) { printf "%s", lines[section]; done[section] = 1 }
  next
}

is_key($0) && ((section, key_of($0)) in set) { next }

{ print }

END {
  for (i = 1; i <= sections; i++) if (!(order[i] in done)) printf "\n%s\n%s", order[i], lines[order[i]]
  printf "%s", more
}
