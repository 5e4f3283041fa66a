#!/usr/bin/env bash
# Removes the node agent from this machine, or from another one over SSH: running calls may end first, then nothing is
# left.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=deploy/node/steps.sh
. "$here/steps.sh"

usage() {
  cat <<'TEXT'
uninstall.sh [--host USER@HOST] [--root FOLDER] [--keep-settings] [--dry-run]

  --host USER@HOST   there, over SSH
  --root FOLDER      what install.sh put into this folder
  --keep-settings    leaves settings, relay keys and provider accounts where they are
  --dry-run          says what would be done and does nothing

Take the node out of service in the control plane first, so that no more calls are sent to it.
TEXT
}

target="" keeps_settings=0
while [ $# -gt 0 ]; do
  case "$1" in
    --host | --root) [ $# -ge 2 ] || fail "$1 needs a value." ;;&
    --host) target=$2; shift 2 ;;
    --root) ROOT=$2; shift 2 ;;
    --keep-settings) keeps_settings=1; shift ;;
    --dry-run) DRY_RUN=1; shift ;;
    --help) usage; exit 0 ;;
    *) fail "Unknown option $1; --help lists them." ;;
  esac
done

check_words "$target" "$ROOT"
if [ -n "$target" ]; then
  words=()
  [ -z "$ROOT" ] || words+=(--root "$ROOT")
  [ "$keeps_settings" = 0 ] || words+=(--keep-settings)
  [ "$DRY_RUN" = 0 ] || words+=(--dry-run)
  say begun "on $target"
  run_over_ssh "$target" "$here" uninstall.sh "${words[@]}"
  exit
fi

if [ -n "$ROOT" ]; then set_root "$ROOT"; fi
set_places
need_root

# Overwrites a secret before it removes it, which helps only if the file system overwrites in place.
remove_secret() {
  if [ -f "$1" ]; then
    shred --force --remove "$1" 2>/dev/null || rm -f "$1"
  fi
}

remove_settings() {
  local file
  for file in "$relay_keys" "$accounts" "$relay_keys.before" "$accounts.before" "$relay_keys.next"; do
    remove_secret "$file"
  done
  rm -rf "${settings:?}"
}

remove_unit() {
  rm -f "$unit"
  if is_system; then systemctl daemon-reload; fi
}

is_anything_here() {
  local place
  for place in "$programs" "$settings" "$unit" "$state" "$run"; do
    if [ -e "$place" ]; then return; fi
  done
  is_system && id -u "$user" >/dev/null 2>&1
}
if ! is_anything_here; then
  say kept "there is no node agent here"
  exit
fi
if is_running; then step "stop the agent; calls in progress may end" stop_agent; fi
if is_system && [ -f "$unit" ]; then step "take the service out of the start of the machine" stop_agent; fi
if [ -f "$unit" ]; then step "remove the systemd unit" remove_unit; fi
if [ -d "$programs" ]; then step "remove $programs" rm -rf "${programs:?}"; fi
if [ -d "$state" ]; then step "remove $state" rm -rf "${state:?}"; fi
if [ -d "$run" ]; then step "remove $run" rm -rf "${run:?}"; fi
if [ "$keeps_settings" = 1 ]; then
  say kept "$settings"
elif [ -d "$settings" ]; then
  step "remove $settings, with the keys" remove_settings
fi
if is_system && [ "$keeps_settings" = 0 ] && id -u "$user" >/dev/null 2>&1; then
  step "remove the user $user" userdel "$user"
fi
# Removes empty folders that install.sh created below --root.
if [ -n "$ROOT" ] && [ "$DRY_RUN" = 0 ]; then
  for folder in etc/systemd/system etc/systemd etc opt var/lib var run; do
    rmdir "$ROOT/$folder" 2>/dev/null || true
  done
fi
if [ "$DRY_RUN" = 0 ]; then say gone "the node agent"; fi
