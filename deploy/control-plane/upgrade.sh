#!/usr/bin/env bash
# Switches to another release without dropping a call: starts the idle instance with it, sends new calls there once it
# is ready, and lets the calls of the old instance end. If the new instance does not become ready, or the edge refuses
# the change, everything stays as it was. The script may be run again after it was interrupted.
set -euo pipefail

usage() {
  cat <<'TEXT'
upgrade.sh --release FOLDER [options]

  --release FOLDER      the release to run, such as /opt/sluice/releases/1.4.0: a checkout with its packages, or a folder with
                        the one file, named sluice
  --links FOLDER        where the links `a` and `b` are (default /opt/sluice)
  --settings FOLDER     instance-a.env and instance-b.env (default /etc/sluice)
  --edge-program FILE   the file of the edge that names the program (default /etc/nginx/sluice/program.conf)
  --edge-test COMMAND   default: nginx -t
  --edge-reload COMMAND default: nginx -s reload
  --edge-pid FILE       where nginx wrote the number of its main process (default /run/nginx.pid)
  --start COMMAND       starts an instance, whose name is added (default: systemctl start sluice@NAME, and enable)
  --stop COMMAND        stops it; returns when its calls have ended (default: systemctl stop sluice@NAME, and disable)
  --ready-seconds N     how long the new instance may take, migrations included (default 900)
  --dry-run             says what would be done and does nothing

Both instances work on one Postgres, so DATABASE_URL must be set: the embedded one belongs to one instance alone. Migrations
run when the new instance starts, while the old one still works; a release says in its notes where that is not possible.
To go back, run it with the release before.
TEXT
}

edge_seconds_max=60
progress_seconds=10

say() { printf '%-9s %s\n' "$1" "$2"; }
fail() { printf 'failed    %s\n' "$*" >&2; exit 1; }

release="" links=/opt/sluice settings=/etc/sluice program_file=/etc/nginx/sluice/program.conf
edge_test="nginx -t" edge_reload="nginx -s reload" edge_pid=/run/nginx.pid start="" stop="" ready_seconds=900 is_dry=0
while [ $# -gt 0 ]; do
  case "$1" in
    --release | --links | --settings | --edge-program | --edge-test | --edge-reload | --edge-pid | --start | --stop | --ready-seconds)
      [ $# -ge 2 ] || fail "$1 needs a value."
      ;;&
    --release) release=$2; shift 2 ;;
    --links) links=$2; shift 2 ;;
    --settings) settings=$2; shift 2 ;;
    --edge-program) program_file=$2; shift 2 ;;
    --edge-test) edge_test=$2; shift 2 ;;
    --edge-reload) edge_reload=$2; shift 2 ;;
    --edge-pid) edge_pid=$2; shift 2 ;;
    --start) start=$2; shift 2 ;;
    --stop) stop=$2; shift 2 ;;
    --ready-seconds) ready_seconds=$2; shift 2 ;;
    --dry-run) is_dry=1; shift ;;
    --help) usage; exit 0 ;;
    *) fail "Unknown option $1; --help lists them." ;;
  esac
done
[ -n "$release" ] || fail "--release is missing; --help explains it."
if [ ! -x "$release/sluice" ]; then
  [ -f "$release/deploy/start/main.ts" ] || fail "$release is not a release: it has neither the file sluice nor deploy/start/main.ts."
  [ -d "$release/node_modules" ] || fail "$release has no packages. Run in it: bun deploy/start/install-packages.ts"
fi
[[ "$ready_seconds" =~ ^[0-9]{1,5}$ ]] || fail "--ready-seconds must be a whole number."
command -v curl >/dev/null 2>&1 || fail "The command curl is missing."
[ -d "$links" ] || fail "$links is missing: --links names the folder of the links a and b."
release=$(realpath "$release")

if [ "$is_dry" = 0 ]; then
  exec 9>"$links/.upgrade.lock"
  flock -n 9 || fail "Another upgrade is running."
fi

port_of() {
  local port
  port=$(sed -n 's/^[[:space:]]*PORT=//p' "$settings/instance-$1.env" 2>/dev/null | tail -n 1 | tr -d "\"'[:space:]")
  [[ "$port" =~ ^[0-9]{1,5}$ ]] || fail "$settings/instance-$1.env is missing, or does not set PORT."
  echo "$port"
}

# The instance must not inherit this lock, because it would hold it as long as it lives.
start_instance() {
  if [ -n "$start" ]; then
    $start "$1" 9>&-
  else
    systemctl enable --quiet "sluice@$1" && systemctl start "sluice@$1"
  fi
}

stop_instance() {
  if [ -n "$stop" ]; then
    $stop "$1" 9>&-
  else
    systemctl disable --quiet "sluice@$1" && systemctl stop "sluice@$1"
  fi
}

is_ready() { [ "$(curl --silent --noproxy '*' --max-time 2 --output /dev/null --write-out '%{http_code}' "http://127.0.0.1:$1/readyz")" = 200 ]; }
is_alive() { curl --silent --noproxy '*' --max-time 2 --output /dev/null "http://127.0.0.1:$1/healthz"; }

# Prints the workers of this list that still accept connections with the old configuration: those that exist and whose
# title does not say that they are shutting down.
remaining_workers() {
  local worker
  for worker in "$@"; do
    if tr '\0' ' ' <"/proc/$worker/cmdline" 2>/dev/null | grep 'worker process' | grep -v 'shutting down' >/dev/null; then
      echo "$worker"
    fi
  done
}

edge_workers() {
  local main
  main=$(cat "$edge_pid" 2>/dev/null) || return 0
  tr ' ' '\n' <"/proc/$main/task/$main/children" 2>/dev/null || true
}

# When the command returns, the reload has only begun. Until it is complete, the edge sends calls to the old instance.
wait_for_edge() {
  local until=$((SECONDS + edge_seconds_max))
  while [ -n "$(remaining_workers "$@")" ]; do
    if [ "$SECONDS" -ge "$until" ]; then
      say warning "the edge still has workers with its former configuration after $edge_seconds_max s"
      return
    fi
    sleep 0.05
  done
}

point_edge_to() {
  local workers=()
  mapfile -t workers < <(edge_workers)
  {
    echo "# Written by upgrade.sh on $(date -u +%Y-%m-%dT%H:%M:%SZ): instance $1."
    echo "server 127.0.0.1:$2;"
  } >"$program_file.part"
  cp -p "$program_file" "$program_file.before.part"
  mv -f "$program_file.before.part" "$program_file.before"
  mv -f "$program_file.part" "$program_file"
  if ! $edge_test 9>&- || ! $edge_reload 9>&-; then
    mv -f "$program_file.before" "$program_file"
    return 1
  fi
  rm -f "$program_file.before"
  wait_for_edge "${workers[@]}"
}

# An earlier run may have been killed while it changed the edge: its file may then name an instance that the edge does
# not use yet. The old instance still runs, because it is only stopped once the edge has changed.
bring_edge_back() {
  local workers=()
  mapfile -t workers < <(edge_workers)
  cp -p "$program_file.before" "$program_file.part"
  mv -f "$program_file.part" "$program_file"
  if ! $edge_test 9>&- || ! $edge_reload 9>&-; then
    fail "The edge does not take $program_file; nothing else was touched."
  fi
  rm -f "$program_file.before"
  wait_for_edge "${workers[@]}"
  say left "an earlier upgrade was killed while it changed the edge; calls go where they went before it"
}

port_a=$(port_of a)
port_b=$(port_of b)
[ -f "$edge_pid" ] || fail "$edge_pid is missing: the edge does not run, or --edge-pid is another file."
[ -f "$program_file" ] || fail "$program_file is missing."
if [ "$is_dry" = 0 ] && [ -f "$program_file.before" ]; then bring_edge_back; fi
# The instance that the edge names is serving; the other one is idle.
if grep -qE "^server 127\.0\.0\.1:$port_b;" "$program_file"; then
  old=b old_port=$port_b new=a new_port=$port_a
else
  old=a old_port=$port_a new=b new_port=$port_b
fi

if [ "$is_dry" = 1 ]; then
  say would "start instance $new on port $new_port with $release, send new calls there, and let instance $old end"
  exit
fi

if is_alive "$new_port"; then
  say left "instance $new runs from an earlier upgrade that did not come to its end; letting its calls end"
  stop_instance "$new"
fi
ln -sfn "$release" "$links/$new.part"
mv -Tf "$links/$new.part" "$links/$new"
say begun "instance $new on port $new_port with $release"
start_instance "$new" || fail "Instance $new did not start; instance $old serves as before. Its log says why."

deadline=$((SECONDS + ready_seconds))
until is_ready "$new_port"; do
  if [ "$SECONDS" -ge "$deadline" ]; then
    stop_instance "$new" || true
    fail "Instance $new was not ready within $ready_seconds s; instance $old serves as before. Its log says why."
  fi
  sleep 0.2
done
say ready "instance $new"

if ! point_edge_to "$new" "$new_port"; then
  stop_instance "$new" || true
  fail "The edge did not take the change; instance $old serves as before."
fi
say switched "new calls go to instance $new; those of instance $old may end"
if is_alive "$old_port"; then
  stop_instance "$old" &
  stopping=$!
  begun=$SECONDS
  while kill -0 "$stopping" 2>/dev/null; do
    sleep 0.2
    if [ $((SECONDS - begun)) -ge "$progress_seconds" ]; then
      say ending "calls of instance $old, $SECONDS s since the beginning"
      begun=$SECONDS
    fi
  done
  wait "$stopping" || fail "Instance $old did not stop in order. New calls go to $new; look at $old."
fi
say well "instance $new serves $release"
