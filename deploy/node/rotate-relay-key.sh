#!/usr/bin/env bash
# Rotates the relay key of a node while calls run. Two steps, each of which can be run again after it was interrupted:
#
#   begin    makes a key; the node takes the new one and the old one
#   (then the control plane gets the new key, and uses it)
#   finish   the node takes only the new one
#
# In this order the control plane never uses a key that the node does not take.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=deploy/node/steps.sh
. "$here/steps.sh"

usage() {
  cat <<'TEXT'
rotate-relay-key.sh begin | status | finish | abort [--host USER@HOST] [--root FOLDER] [--dry-run]

  begin    makes a new key, lets the node take both, and writes it to /etc/sluice-node/relay-keys.next
  status   says how far the rotation is, how often each key was used since the agent started, and when last
  finish   lets the node take the new key only. Refuses while the new one was never used, or the old one was used in the
           last five minutes (--quiet-seconds N), as far as the agent has run for so long; --force does it all the same
  abort    goes back to the old key; only before the control plane has the new one

  --key-file FILE   begin with this key instead of a random one
TEXT
}

action=${1:-}
case "$action" in
  begin | status | finish | abort) shift ;;
  --help) usage; exit 0 ;;
  *) usage >&2; exit 2 ;;
esac
target="" key_file="" is_forced=0 quiet_seconds=300
while [ $# -gt 0 ]; do
  case "$1" in
    --host | --root | --key-file | --quiet-seconds) [ $# -ge 2 ] || fail "$1 needs a value." ;;&
    --host) target=$2; shift 2 ;;
    --root) ROOT=$2; shift 2 ;;
    --key-file) key_file=$2; shift 2 ;;
    --quiet-seconds) quiet_seconds=$2; shift 2 ;;
    --force) is_forced=1; shift ;;
    --dry-run) DRY_RUN=1; shift ;;
    *) fail "Unknown option $1; --help lists them." ;;
  esac
done
[[ "$quiet_seconds" =~ ^[0-9]{1,6}$ ]] || fail "--quiet-seconds must be a whole number."

[ -z "$key_file" ] || [ -f "$key_file" ] || fail "$key_file is missing."
check_words "$target" "$ROOT"
if [ -n "$target" ]; then
  words=("$action" --quiet-seconds "$quiet_seconds")
  [ -z "$ROOT" ] || words+=(--root "$ROOT")
  [ "$is_forced" = 0 ] || words+=(--force)
  [ "$DRY_RUN" = 0 ] || words+=(--dry-run)
  if [ -z "$key_file" ]; then
    run_over_ssh "$target" "$here" rotate-relay-key.sh "${words[@]}"
    exit
  fi
  folder=$(mktemp -d)
  # shellcheck disable=SC2064  # the folder of now
  trap "rm -rf $(printf '%q' "$folder")" EXIT
  cp "$here/steps.sh" "$here/rotate-relay-key.sh" "$folder"
  cp "$key_file" "$folder/key"
  run_over_ssh "$target" "$folder" rotate-relay-key.sh "${words[@]}" --key-file ./key
  exit
fi

if [ -n "$ROOT" ]; then set_root "$ROOT"; fi
set_places
need curl flock sha256sum
need_root
[ -f "$relay_keys" ] || fail "This host has no node agent: $relay_keys is missing."
is_running || fail "The agent does not run. Start it first; a rotation is watched while it runs."
take_lock
next_file="$relay_keys.next"
# The next installation would take a rotation back with whatever else an interrupted one had begun.
if [ -e "$relay_keys.before" ] || [ -e "$relay_keys.absent-before" ]; then
  fail "An installation was interrupted here. Run install.sh again first; it brings things in order."
fi

fingerprint() { printf '%s' "$1" | sha256sum | cut -c 1-8; }

# The file says how far the rotation is: the new key is first, the old one second.
mapfile -t keys < <(keys_of "$relay_keys")

write_keys() {
  local part
  part=$(mktemp "$relay_keys.XXXXXX")
  {
    echo "# written by rotate-relay-key.sh on $(date -u +%Y-%m-%dT%H:%M:%SZ)"
    printf '%s\n' "$@"
  } >"$part"
  chmod 0600 "$part"
  if is_system; then chown "$user:$user" "$part"; fi
  mv -f "$part" "$relay_keys"
}

answers_to() { [[ "$(ask_health "$1")" == *'"node":'*200 ]]; }
refuses() { [[ "$(ask_health "$1")" == *401 ]]; }

# Makes the agent reload its files, and waits until it uses them.
reload_until() {
  local deadline=$((SECONDS + HEALTH_SECONDS))
  reload_agent
  until "$@"; do
    [ "$SECONDS" -lt "$deadline" ] || return 1
    sleep 0.1
  done
}

# An earlier run may have been killed after it wrote the file and before the agent reloaded it.
settle_one_key() {
  say kept "one key, so there is nothing to $1"
  if [ "$DRY_RUN" = 1 ]; then
    return
  fi
  reload_until takes_one_key || fail "The agent still takes two keys. Its log says why; run this again."
  forget_next
}

takes_one_key() { [ "$(metrics | grep -c '^sluice_node_relay_key_uses_total{')" = 1 ]; }

forget_next() {
  if [ -f "$next_file" ]; then
    shred --force --remove "$next_file" 2>/dev/null || rm -f "$next_file"
  fi
}

metrics() {
  printf 'header = "Authorization: Bearer %s"\n' "${keys[0]}" |
    curl --silent --insecure --noproxy '*' --max-time 5 --config - "$(agent_url)/metrics"
}

metric_of() { metrics | sed -n "s/^sluice_node_$1 //p"; }

# A metric of one key, by its fingerprint.
key_metric() { metric_of "relay_key_$1{key=\"$2\"}"; }

new_key() {
  if [ -n "$key_file" ]; then
    keys_of "$key_file" | head -n 1
  else
    head -c 33 /dev/urandom | base64 | tr '+/' '-_'
  fi
}

begin() {
  local old=${keys[0]} new
  if [ "${#keys[@]}" -gt 1 ]; then
    say kept "two keys, so the rotation has already begun"
    [ "$DRY_RUN" = 1 ] || reload_until answers_to "${keys[0]}" || fail "The agent does not take the new key. Its log says why."
  elif [ "$DRY_RUN" = 1 ]; then
    say would "make a key and let the agent take it beside the old one"
    return
  else
    # The key is written to a file first: a key that the node accepts and nobody knows would be useless.
    if [ ! -f "$next_file" ]; then
      new=$(new_key)
      [[ "$new" =~ ^[A-Za-z0-9._~+/=-]{32,256}$ ]] || fail "A relay key has 32 to 256 letters, digits and . _ ~ + / = -"
      (umask 077 && printf '%s\n' "$new" >"$next_file.part" && mv "$next_file.part" "$next_file")
    fi
    new=$(cat "$next_file")
    [ "$new" != "$old" ] || fail "The new key is the old one."
    write_keys "$new" "$old"
    if ! reload_until answers_to "$new"; then
      write_keys "$old"
      reload_agent
      rm -f "$next_file"
      fail "The agent does not take the new key, so only the old one counts. Its log says why."
    fi
    say 'done' "the node takes the new key, $(fingerprint "$new"), and the old one, $(fingerprint "$old")"
  fi
  say next "enter the key of $next_file on $(hostname) in the control plane, check the node there, then run the step finish in the same way"
}

status() {
  local key name uses
  for key in "${keys[@]}"; do
    name=$(fingerprint "$key")
    uses=$(key_metric uses_total "$name")
    case "$uses" in
      "") say key "$name: the agent does not know it" ;;
      0) say key "$name: not used since the agent started" ;;
      *) say key "$name: uses $uses, the last one $(key_metric idle_seconds "$name" | cut -d . -f 1) s ago" ;;
    esac
  done
  if [ "${#keys[@]}" -gt 1 ]; then
    say state "two keys; the first is the new one"
  else
    say state "one key; no rotation is in progress"
  fi
}

finish() {
  local new=${keys[0]} old=${keys[1]:-} idle
  if [ -z "$old" ]; then
    settle_one_key finish
    return
  fi
  if [ "$is_forced" = 0 ]; then
    [ "$(key_metric uses_total "$(fingerprint "$new")")" != 0 ] ||
      fail "Nobody has used the new key yet. Enter it in the control plane and check the node there."
    idle=$(key_metric idle_seconds "$(fingerprint "$old")")
    [ -n "$idle" ] || fail "The agent does not say when the old key was used last: $(agent_url)/metrics does not mention it."
    # The key was not used since the agent started; its earlier use is unknown.
    [ "$idle" != +Inf ] || idle=$(metric_of uptime_seconds)
    [ "${idle%%.*}" -ge "$quiet_seconds" ] ||
      fail "The old key may have been used ${idle%%.*} s ago. Wait until $quiet_seconds s have passed without it."
  fi
  if [ "$DRY_RUN" = 1 ]; then
    say would "let the agent take the new key only"
    return
  fi
  write_keys "$new"
  reload_until refuses "$old" || fail "The agent still takes the old key. Its log says why; run this again."
  answers_to "$new" || fail "The agent does not answer to the new key."
  forget_next
  say 'done' "the node takes only the new key, $(fingerprint "$new")"
}

abort() {
  local old=${keys[1]:-}
  if [ -z "$old" ]; then
    settle_one_key "take back"
    return
  fi
  if [ "$is_forced" = 0 ] && [ "$(key_metric uses_total "$(fingerprint "${keys[0]}")")" != 0 ]; then
    fail "The new key is in use. Finish the rotation, then begin another one if needed."
  fi
  if [ "$DRY_RUN" = 1 ]; then
    say would "let the agent take the old key only"
    return
  fi
  write_keys "$old"
  reload_until refuses "${keys[0]}" || fail "The agent still takes the new key. Its log says why; run this again."
  forget_next
  say 'done' "the node takes only the old key, $(fingerprint "$old")"
}

"$action"
