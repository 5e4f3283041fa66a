# shellcheck shell=bash
# What install.sh, uninstall.sh and rotate-relay-key.sh share: where things are, how a step is told and done, and how the
# agent is started, stopped and asked. To be sourced.

# The command lines set these variables.
ROOT=""
DRY_RUN=0
HEALTH_SECONDS=30

service=sluice-node-agent
stop_seconds_max=3660

# shellcheck disable=SC2034  # each script uses some of these
set_places() {
  user=sluice-node
  programs="$ROOT/opt/sluice-node"
  settings="$ROOT/etc/sluice-node"
  state="$ROOT/var/lib/sluice-node"
  run="$ROOT/run/sluice-node"
  unit="$ROOT/etc/systemd/system/$service.service"
  env_file="$settings/agent.env"
  relay_keys="$settings/relay-keys"
  accounts="$settings/provider-accounts"
}

say() { printf '%-9s %s\n' "$1" "$2"; }

fail() {
  printf 'failed    %s\n' "$*" >&2
  exit 1
}

# Runs a step, or in a dry run says what it would do.
step() {
  local what=$1
  shift
  if [ "$DRY_RUN" = 1 ]; then
    say would "$what"
  else
    say 'done' "$what"
    "$@"
  fi
}

need() {
  local tool
  for tool in "$@"; do
    command -v "$tool" >/dev/null 2>&1 || fail "The command $tool is missing on $(hostname). Install it first."
  done
}

# Without --root, the agent is a service of this machine; with it, it consists of files in a folder and a process with a
# pid file.
is_system() { [ -z "$ROOT" ]; }

need_root() {
  if is_system && [ "$DRY_RUN" = 0 ] && [ "$(id -u)" != 0 ]; then
    fail "Only root can do this. Use sudo, or --root FOLDER to try it in a folder."
  fi
}

# Only one run at a time may change the installation.
take_lock() {
  if [ "$DRY_RUN" = 1 ]; then
    return
  fi
  mkdir -p "$run"
  exec 9>"$run/lock"
  flock -n 9 || fail "Another installation is running here."
}

# The value of a variable of an env file; empty when it is not set. Quotes around it are removed, as systemd does.
env_value() {
  local name=$1 file=$2
  sed -n "s/^[[:space:]]*$name=//p" "$file" 2>/dev/null | tail -n 1 | sed -e 's/[[:space:]]*$//' -e "s/^\(['\"]\)\(.*\)\1\$/\2/"
}

# Checks that the name of a machine can't be taken for an option of ssh, and that a folder is a single line.
check_words() {
  [[ "$1" != -* && "$1" != *[[:space:][:cntrl:]]* ]] || fail "--host must be like USER@HOST."
  [[ "$2" != *[[:cntrl:]]* ]] || fail "--root must not hold line ends or other control characters."
}

# Sets --root to an absolute path. The root of the machine itself counts as no --root.
set_root() {
  [ "$DRY_RUN" = 1 ] || mkdir -p "$1"
  ROOT=$(realpath -m "$1")
  [ "$ROOT" != / ] || fail "--root / is what is done without --root."
}

# Replaces a file atomically.
put_file() {
  local from=$1 to=$2 mode=$3 owner=$4
  local part="$to.part"
  install -m "$mode" /dev/null "$part"
  cat "$from" >"$part"
  if is_system; then
    chown "$owner" "$part"
  fi
  mv -f "$part" "$to"
}

# --- The agent as a service ---

agent_pid() {
  local pid
  pid=$(cat "$run/agent.pid" 2>/dev/null) || return 1
  # The process id may belong to another program by now.
  [ -n "$pid" ] && [ "$(readlink "/proc/$pid/exe" 2>/dev/null)" != "" ] || return 1
  # This reads to the end, because a reader that leaves a pipe early breaks its writer.
  tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null | grep -xF "RELAY_KEYS_FILE=$relay_keys" >/dev/null && echo "$pid"
}

is_running() {
  if is_system; then
    systemctl is-active --quiet "$service"
  else
    agent_pid >/dev/null
  fi
}

# The variables of the env file as words for `env`; other lines are left out.
env_words() {
  grep -E '^[[:space:]]*[A-Za-z_][A-Za-z0-9_]*=' "$env_file" | sed -e 's/^[[:space:]]*//' -e "s/=\(['\"]\)\(.*\)\1[[:space:]]*\$/=\2/"
}

start_process() {
  local words=()
  mapfile -t words < <(env_words)
  mkdir -p "$run"
  # The agent gets its own session and no open lock, so that it stays when this script ends.
  setsid env -i PATH="$PATH" RELAY_KEYS_FILE="$relay_keys" PROVIDER_ACCOUNTS_FILE="$accounts" "${words[@]}" \
    "$programs/current/sluice-node-agent" </dev/null >>"$run/agent.log" 2>&1 9>&- &
  echo "$!" >"$run/agent.pid"
}

stop_process() {
  local pid deadline
  pid=$(agent_pid) || { rm -f "$run/agent.pid"; return 0; }
  kill -TERM "$pid"
  deadline=$((SECONDS + stop_seconds_max))
  while [ "$(agent_pid)" = "$pid" ]; do
    [ "$SECONDS" -lt "$deadline" ] || kill -KILL "$pid"
    sleep 0.05
  done
  rm -f "$run/agent.pid"
}

start_agent() { if is_system; then systemctl enable --quiet "$service" && systemctl restart "$service"; else stop_process && start_process; fi; }
stop_agent() { if is_system; then systemctl disable --quiet --now "$service" 2>/dev/null || true; else stop_process; fi; }
reload_agent() { if is_system; then systemctl reload "$service"; else kill -HUP "$(agent_pid)"; fi; }

# Shows the last output of the agent, which may say why it did not start.
show_log() {
  if is_system; then
    journalctl --no-pager -n 15 -o cat -u "$service" >&2 || true
  else
    tail -n 15 "$run/agent.log" >&2 2>/dev/null || true
  fi
}

# --- Asking the agent ---

agent_url() {
  local host port scheme=http
  host=$(env_value HOST "$env_file")
  port=$(env_value PORT "$env_file")
  [ -n "$(env_value TLS_CERT_FILE "$env_file")" ] && scheme=https
  case "${host:-127.0.0.1}" in
    0.0.0.0) host=127.0.0.1 ;;
    ::) host='[::1]' ;;
    *:*) host="[$host]" ;;
  esac
  echo "$scheme://${host:-127.0.0.1}:${port:-8790}"
}

# The keys of a file, without its comments.
keys_of() { grep -vE '^[[:space:]]*(#|$)' "$1" | tr -d '[:blank:]'; }

# GET /health with a relay key: the status, then the body. The key is passed over stdin, so that no list of processes
# shows it. The certificate names the public host and not the address of this machine, so it is not checked here.
ask_health() {
  printf 'header = "Authorization: Bearer %s"\n' "$1" |
    curl --silent --insecure --noproxy '*' --max-time 5 --config - --write-out '\n%{http_code}' "$(agent_url)/health"
}

# Waits until the agent reports that it is healthy, that it is this node, and that it has this version.
wait_until_healthy() {
  local version=$1 node key answer deadline
  node=$(env_value NODE_CODE "$env_file")
  key=$(keys_of "$relay_keys" | head -n 1)
  deadline=$((SECONDS + HEALTH_SECONDS))
  while :; do
    answer=$(ask_health "$key") || answer=""
    case "$answer" in
      *'"ok":true'*"\"node\":\"$node\""*"\"version\":\"$version\""*200) return 0 ;;
    esac
    if [ "$SECONDS" -ge "$deadline" ]; then
      if [ -z "${answer//000/}" ]; then
        say "" "nobody answered at $(agent_url)"
      else
        say "" "it said last: $(printf '%s' "$answer" | tr '\n' ' ' | cut -c 1-200)"
      fi
      return 1
    fi
    sleep 0.2
  done
}

# --- Another machine ---

# Runs a script of this folder on another machine, with the files that it needs. They are sent over stdin into a folder
# that nobody else can read and that is removed afterwards; no command line contains a secret.
run_over_ssh() {
  local target=$1 folder=$2 script=$3 words=() word
  shift 3
  for word in "$@"; do
    words+=("$(printf '%q' "$word")")
  done
  tar -C "$folder" -cf - . |
    ssh -o BatchMode=yes "$target" "
      set -e; umask 077; folder=\$(mktemp -d); trap 'rm -rf \"\$folder\"' EXIT; cd \"\$folder\"; tar -xf -
      if [ \"\$(id -u)\" = 0 ]; then as=; else as='sudo -n'; fi
      \$as bash ./$script ${words[*]}"
}
