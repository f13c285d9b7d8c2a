# Sourced: bare Debian roots for tests that install something. Needs root.

# What is missing here to make them, by package; installs nothing.
missing_for_roots() {
  local need
  for need in debootstrap:debootstrap systemd-nspawn:systemd-container unshare:util-linux; do
    command -v "${need%%:*}" >/dev/null 2>&1 || printf '%s ' "${need##*:}"
  done
}

# Prints the folder of a Debian root that is made once: ONO_BARE_ROOT, or target/bare-root (a minute and 280 MB, from the
# mirror that apt uses). It is only ever copied.
bare_root() {
  local base=${ONO_BARE_ROOT:-$root/target/bare-root} mirror
  if [[ ! -e $base/.made ]]; then
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Codename: bookworm' | head -n 1)
    [[ -n $mirror ]] || { echo "apt knows no mirror of bookworm" >&2; return 1; }
    rm -rf "$base"
    debootstrap --variant=minbase --include=systemd,systemd-sysv,dbus,ca-certificates,curl,iproute2,openssl \
      bookworm "$base" "$mirror" >"$base.log" 2>&1 || { tail -n 5 "$base.log" >&2; return 1; }
    # debootstrap makes none, and there is nobody else to ask.
    printf '127.0.0.1 localhost\n::1 localhost\n' >"$base/etc/hosts"
    : >"$base/.made"
  fi
  printf '%s\n' "$base"
}

# Builds the package from target/release with this revision, and prints its file.
package() {
  [[ -x $root/target/release/ono-sendai ]] || { echo "first: cargo build --release --locked" >&2; return 1; }
  mkdir -p "$2"
  (cd "$root" && cargo deb --quiet --no-build --no-strip --deb-revision "$1" --output "$2" >/dev/null)
  ls "$2"/ono-sendai_*-"$1"_*.deb
}
