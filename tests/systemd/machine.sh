# Sourced: a Debian root that systemd has booted, in a container without a network. Needs root and systemd-nspawn.
# Nothing of it touches the systemd outside.

machine_container=
machine_leader=
machine_groups() { find /sys/fs/cgroup -type d \( -name payload -o -name supervisor \) -prune -print 2>/dev/null | sort; }
machine_groups_before=$(machine_groups)

# Boots the root in a folder; what its console says goes to a file. `inside` works once it returns.
boot_machine() {
  SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1 systemd-nspawn --quiet --register=no --keep-unit --private-network --boot \
    --console=pipe -D "$1" >"$2" 2>&1 </dev/null &
  machine_container=$!
  for _ in $(seq 600); do
    machine_leader=$(cat "/proc/$machine_container/task/$machine_container/children" 2>/dev/null | tr ' ' '\n' | head -n 1)
    [[ -n $machine_leader ]] && inside systemctl is-system-running 2>/dev/null | grep -Eq 'running|degraded' && return
    kill -0 "$machine_container" 2>/dev/null || break
    sleep 0.1
  done
  cat "$2" >&2
  return 1
}

inside() { nsenter -t "$machine_leader" -m -u -i -n -p -C -- /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }

end_machine() {
  # With the first process of the container all of it ends, and there is nothing in it to save.
  [[ -z $machine_leader ]] || kill -KILL "$machine_leader" 2>/dev/null || true
  if [[ -n $machine_container ]]; then
    for _ in $(seq 100); do
      kill -0 "$machine_container" 2>/dev/null || break
      sleep 0.1
    done
    kill -KILL "$machine_container" 2>/dev/null || true
    wait "$machine_container" 2>/dev/null || true
  fi
  machine_leader=
  machine_container=
  # What nspawn makes for the container when it is told to stay in our own control group; empty now.
  machine_groups | comm -13 <(printf '%s\n' "$machine_groups_before") - | while read -r group; do
    find "$group" -depth -type d -exec rmdir {} \; 2>/dev/null || true
  done
}
