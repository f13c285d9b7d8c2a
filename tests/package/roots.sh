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

# Prints the file of the first package that this project ever made, or of the one at the revision that ONO_PREVIOUS names:
# an older program, built from its own sources the first time it is asked for (minutes), and kept below target/previous.
previous_package() {
  local revision kept=$root/target/previous
  revision=${ONO_PREVIOUS:-$(git -C "$root" log --diff-filter=A --format=%H -- systemd/debian/postinst | tail -n 1)}
  revision=$(git -C "$root" rev-parse --short=12 --verify "$revision^{commit}") || return 1
  if [[ ! -f $kept/$revision.deb ]]; then
    rm -rf "$kept/checkout" "$kept/debs"
    mkdir -p "$kept/target"
    git clone --quiet --no-checkout "file://$root" "$kept/checkout"
    git -C "$kept/checkout" checkout --quiet "$revision"
    ln -s ../target "$kept/checkout/target"
    (
      cd "$kept/checkout"
      cargo build --quiet --release --locked
      # It sorts before every one of today.
      cargo deb --quiet --no-build --no-strip --deb-revision 0 --output "$kept/debs" >/dev/null
    ) || return 1
    mv "$kept"/debs/ono-sendai_*.deb "$kept/$revision.deb"
    rm -rf "$kept/checkout" "$kept/debs"
  fi
  printf '%s\n' "$kept/$revision.deb"
}

# Builds the package from target/release with this revision, and prints its file.
package() {
  [[ -x $root/target/release/ono-sendai ]] || { echo "first: cargo build --release --locked" >&2; return 1; }
  mkdir -p "$2"
  (cd "$root" && cargo deb --quiet --no-build --no-strip --deb-revision "$1" --output "$2" >/dev/null)
  ls "$2"/ono-sendai_*-"$1"_*.deb
}
