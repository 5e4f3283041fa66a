#!/usr/bin/env bash
# Installs or upgrades the node agent, on this machine or over SSH. It may be run again at any time: correct parts stay
# unchanged.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=deploy/node/steps.sh
. "$here/steps.sh"

usage() {
  cat <<'TEXT'
install.sh --env FILE [--from FOLDER | --binary FILE --sha256 HEX] [options]

  --from FOLDER        what `bun node-agent/build.ts` made: binaries and SHA256SUMS (default: node-agent/dist)
  --binary FILE        one binary, with --sha256 HEX
  --env FILE           the settings (node-agent/env.example); kept on an upgrade when not given
  --relay-keys FILE    one relay key on a line; kept when not given
  --accounts FILE      the provider accounts as JSON; kept when not given
  --host USER@HOST     installs there over SSH, as root or with sudo
  --root FOLDER        installs into a folder: no user, no systemd, a process with a pid file
  --health-seconds N   how long the new version may take to become healthy (default 30)
  --dry-run            says what would be done and does nothing

The previous version comes back if the new one does not become healthy.
TEXT
}

from="" binary="" sha256="" new_env="" new_relay_keys="" new_accounts="" target=""
while [ $# -gt 0 ]; do
  case "$1" in
    --from | --binary | --sha256 | --env | --relay-keys | --accounts | --host | --root | --health-seconds)
      [ $# -ge 2 ] || fail "$1 needs a value."
      ;;&
    --from) from=$2; shift 2 ;;
    --binary) binary=$2; shift 2 ;;
    --sha256) sha256=$2; shift 2 ;;
    --env) new_env=$2; shift 2 ;;
    --relay-keys) new_relay_keys=$2; shift 2 ;;
    --accounts) new_accounts=$2; shift 2 ;;
    --host) target=$2; shift 2 ;;
    --root) ROOT=$2; shift 2 ;;
    --health-seconds) HEALTH_SECONDS=$2; shift 2 ;;
    --dry-run) DRY_RUN=1; shift ;;
    --help) usage; exit 0 ;;
    *) fail "Unknown option $1; --help lists them." ;;
  esac
done
[[ "$HEALTH_SECONDS" =~ ^[0-9]{1,4}$ ]] || fail "--health-seconds must be a whole number."
for given in "$new_env" "$new_relay_keys" "$new_accounts"; do
  [ -z "$given" ] || [ -f "$given" ] || fail "$given is missing."
done
check_words "$target" "$ROOT"
remote_root=$ROOT
if [ -n "$ROOT" ] && [ -z "$target" ]; then set_root "$ROOT"; fi
set_places

# The build for a processor, chosen by `uname -m` and the flags of the first core.
target_of() {
  case "$1" in
    x86_64) if [ "$2" = yes ]; then echo linux-x64; else echo linux-x64-baseline; fi ;;
    aarch64 | arm64) echo linux-arm64 ;;
    *) fail "No build exists for $1." ;;
  esac
}
processor='uname -m; if grep -qm1 " avx2 " /proc/cpuinfo 2>/dev/null; then echo yes; else echo no; fi'

# Finds the binary and its expected checksum.
choose_binary() {
  local machine has_avx2
  if [ -n "$binary" ]; then
    [[ "$sha256" =~ ^[0-9a-f]{64}$ ]] || fail "--binary needs --sha256 with the checksum of SHA256SUMS."
    return
  fi
  from=${from:-$(realpath -m "$here/../../node-agent/dist")}
  [ -d "$from" ] || fail "The folder $from is missing. Build the agent first (bun node-agent/build.ts), or name its folder with --from."
  if [ -n "$target" ]; then
    { read -r machine && read -r has_avx2; } < <(ssh -o BatchMode=yes "$target" "$processor") || fail "$target can't be reached."
  else
    { read -r machine && read -r has_avx2; } < <(sh -c "$processor")
  fi
  binary="$from/sluice-node-agent-$(target_of "$machine" "$has_avx2")"
  # A machine with AVX2 can also run the build for machines without it.
  if [ ! -f "$binary" ] && [ -f "$from/sluice-node-agent-linux-x64-baseline" ] && [ "$machine" = x86_64 ]; then
    binary="$from/sluice-node-agent-linux-x64-baseline"
  fi
  sha256=$(sed -n "s/^\([0-9a-f]\{64\}\)  $(basename "$binary")\$/\1/p" "$from/SHA256SUMS" 2>/dev/null || true)
  [ -n "$sha256" ] || fail "$from/SHA256SUMS does not name $(basename "$binary"). Build it: bun node-agent/build.ts"
}

check_sum() {
  [ "$(sha256sum <"$1" | cut -d ' ' -f 1)" = "$sha256" ] || fail "$1 does not have the checksum $sha256."
}

install_over_ssh() {
  local folder words=(--binary ./agent --sha256 "$sha256" --health-seconds "$HEALTH_SECONDS")
  folder=$(mktemp -d)
  # shellcheck disable=SC2064  # the folder of now
  trap "rm -rf $(printf '%q' "$folder")" EXIT
  cp "$here/steps.sh" "$here/install.sh" "$here/$service.service" "$folder"
  cp "$binary" "$folder/agent"
  if [ -n "$new_env" ]; then cp "$new_env" "$folder/env" && words+=(--env ./env); fi
  if [ -n "$new_relay_keys" ]; then cp "$new_relay_keys" "$folder/relay-keys" && words+=(--relay-keys ./relay-keys); fi
  if [ -n "$new_accounts" ]; then cp "$new_accounts" "$folder/accounts" && words+=(--accounts ./accounts); fi
  [ -z "$remote_root" ] || words+=(--root "$remote_root")
  [ "$DRY_RUN" = 0 ] || words+=(--dry-run)
  say begun "on $target"
  run_over_ssh "$target" "$folder" install.sh "${words[@]}"
}

# --- The steps on the machine itself ---

# Sets `version` and `release` after checking that the binary runs here.
read_version() {
  local said
  chmod u+x "$binary" 2>/dev/null || true
  said=$("$binary" --version) || fail "$binary does not run on this machine."
  version=${said#sluice-node-agent }
  [[ "$version" =~ ^[0-9A-Za-z.+-]{1,40}$ ]] || fail "$binary is not a node agent: it says \"${said:0:60}\"."
  release="$version-${sha256:0:12}"
}

# The file that will be used: the given one, or the installed one.
effective() {
  if [ -n "$1" ]; then
    echo "$1"
  elif [ -f "$2" ]; then
    echo "$2"
  else
    fail "The first installation needs $3."
  fi
}

# The new binary judges the new settings before anything of the old version is touched.
check_settings() {
  local env_now keys_now accounts_now scratch words=() said
  env_now=$(effective "$new_env" "$env_file" --env)
  keys_now=$(effective "$new_relay_keys" "$relay_keys" --relay-keys)
  accounts_now=$(effective "$new_accounts" "$accounts" --accounts)
  if grep -qE '^[[:space:]]*(RELAY_KEYS_FILE|PROVIDER_ACCOUNTS_FILE)=.' "$env_now"; then
    fail "RELAY_KEYS_FILE and PROVIDER_ACCOUNTS_FILE are set by the installation; take them out of $env_now."
  fi
  scratch=$(mktemp -d)
  # shellcheck disable=SC2064  # the folder of now
  trap "rm -rf $(printf '%q' "$scratch")" EXIT
  install -m 0600 "$keys_now" "$scratch/relay-keys"
  install -m 0600 "$accounts_now" "$scratch/accounts"
  mapfile -t words < <(env_file=$env_now env_words)
  said=$(env -i PATH="$PATH" RELAY_KEYS_FILE="$scratch/relay-keys" PROVIDER_ACCOUNTS_FILE="$scratch/accounts" \
    "${words[@]}" "$binary" --check-config 2>&1) || fail "The settings can't be used: $said"
  rm -rf "$scratch"
  trap - EXIT
  say checked "binary $version, its checksum and the settings"
}

make_user() {
  if is_system && ! id -u "$user" >/dev/null 2>&1; then
    step "make the user $user" useradd --system --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin "$user"
  fi
}

make_folders() {
  local folder
  for folder in "$programs/releases" "$settings" "$state"; do
    [ -d "$folder" ] || step "make the folder $folder" mkdir -p "$folder"
  done
  if [ "$DRY_RUN" = 0 ]; then
    chmod 0755 "$programs" "$programs/releases"
    chmod 0750 "$settings"
    chmod 0700 "$state"
    if is_system; then chown "root:$user" "$settings"; fi
  fi
}

put_release() {
  local folder="$programs/releases/$release"
  if [ -f "$folder/sluice-node-agent" ] && [ "$(sha256sum <"$folder/sluice-node-agent" | cut -d ' ' -f 1)" = "$sha256" ]; then
    say kept "version $version"
    return
  fi
  step "put version $version to $folder" copy_release "$folder"
}

copy_release() {
  rm -rf "$1" "$1.part"
  mkdir -p "$1.part"
  install -m 0755 "$binary" "$1.part/sluice-node-agent"
  # The binary is checked where it will run: the file that was checked before may have been another one.
  check_sum "$1.part/sluice-node-agent"
  mv "$1.part" "$1"
}

# put_when_new FROM TO MODE OWNER WHAT: sets is_changed unless the file was already the same.
put_when_new() {
  if [ -z "$1" ]; then
    return
  fi
  if [ -f "$2" ] && cmp -s "$1" "$2"; then
    say kept "$5"
    return
  fi
  is_changed=1
  step "write $5 to $2" put_with_copy "$1" "$2" "$3" "$4"
}

# Keeps the old file until the new version is healthy.
put_with_copy() {
  if [ -f "$2" ]; then
    cp -p "$2" "$2.before"
  else
    : >"$2.absent-before"
  fi
  put_file "$1" "$2" "$3" "$4"
}

files=("$env_file" "$unit" "$relay_keys" "$accounts")

put_files() {
  local reader="$user:$user"
  put_when_new "$new_env" "$env_file" 0640 "root:$user" "the settings"
  put_when_new "$new_relay_keys" "$relay_keys" 0600 "$reader" "the relay keys"
  put_when_new "$new_accounts" "$accounts" 0600 "$reader" "the provider accounts"
  [ -d "$(dirname "$unit")" ] || step "make the folder $(dirname "$unit")" mkdir -p "$(dirname "$unit")"
  put_when_new "$here/$service.service" "$unit" 0644 root:root "the systemd unit"
}

switch_to() {
  ln -sfn "releases/$1" "$programs/current.part"
  mv -Tf "$programs/current.part" "$programs/current"
}

current_release() { basename "$(readlink "$programs/current" 2>/dev/null || true)"; }

# A version that can't be started does not become healthy either, which brings back the previous one.
activate() {
  if is_system; then systemctl daemon-reload; fi
  start_agent || say warning "the agent could not be started"
}

forget_copies() {
  local file
  for file in "${files[@]}"; do
    rm -f "$file.before" "$file.absent-before"
  done
}

# Undoes the changes of an interrupted run: the copies are older than its changes.
bring_files_back() {
  local file
  for file in "${files[@]}"; do
    if [ -f "$file.before" ]; then
      mv -f "$file.before" "$file"
      is_changed=1
    elif [ -f "$file.absent-before" ]; then
      rm -f "$file" "$file.absent-before"
      is_changed=1
    fi
  done
}

roll_back() {
  local good failed="Version $version"
  show_log
  good=$(cat "$state/good-release" 2>/dev/null || true)
  if [ -z "$good" ] || [ ! -x "$programs/releases/$good/sluice-node-agent" ]; then
    stop_agent
    bring_files_back
    rm -f "$programs/current"
    fail "Version $version did not become healthy within $HEALTH_SECONDS s. There is no earlier one to go back to, so nothing runs."
  fi
  [ "$good" != "$release" ] || failed="Version $version with the new settings"
  say back "$failed did not become healthy within $HEALTH_SECONDS s; going back to what was before"
  bring_files_back
  switch_to "$good"
  activate
  # The limit is the new version's: a short one must not give up the version that was healthy before.
  [ "$HEALTH_SECONDS" -ge 30 ] || HEALTH_SECONDS=30
  if wait_until_healthy "${good%-*}"; then
    [ "$good" = "$release" ] || rm -rf "${programs:?}/releases/$release"
    fail "$failed did not become healthy. Version ${good%-*} runs again. Its settings and keys are those of before."
  fi
  show_log
  fail "Neither version $version nor version ${good%-*} is healthy. Check the agent."
}

# Keeps the previous release, in case it is needed again, and removes older ones.
remove_old_releases() {
  local previous=$1 folder
  for folder in "$programs/releases"/*; do
    case "$(basename "$folder")" in
      "$release" | "$previous") ;;
      *) step "remove $(basename "$folder")" rm -rf "$folder" ;;
    esac
  done
}

install_here() {
  local previous
  need curl flock sha256sum sed tar
  need_root
  if is_system; then
    need systemctl useradd
    [ -d /run/systemd/system ] || fail "systemd does not run on $(hostname). --root FOLDER installs without it."
  else
    need setsid
  fi
  take_lock
  # An earlier run that was killed in the middle is undone first, so that "before" means the last healthy version.
  is_changed=0
  if [ "$DRY_RUN" = 0 ] && [ -d "$settings" ]; then bring_files_back; fi
  # Replaced in the middle of a rotation, the keys could become ones that the control plane does not have.
  if [ -n "$new_relay_keys" ] && [ -e "$relay_keys.next" ] && ! cmp -s "$new_relay_keys" "$relay_keys"; then
    fail "A rotation of the relay key is in progress. Run rotate-relay-key.sh finish or abort first."
  fi
  check_sum "$binary"
  read_version
  check_settings
  make_user
  make_folders
  put_release
  put_files
  previous=$(current_release)
  if [ "$previous" != "$release" ]; then
    is_changed=1
    step "switch to version $version" switch_to "$release"
  fi
  if [ "$is_changed" = 1 ] || ! is_running; then
    step "start the agent" activate
  fi
  if [ "$DRY_RUN" = 1 ]; then
    say would "wait until it is healthy"
    return
  fi
  wait_until_healthy "$version" || roll_back
  forget_copies
  echo "$release" >"$state/good-release"
  remove_old_releases "$previous"
  say well "version $version as $(env_value NODE_CODE "$env_file") on $(agent_url)"
}

choose_binary
[ -f "$binary" ] || fail "$binary is missing."
# The path includes a folder, so that the shell does not look the name up among its commands.
binary=$(realpath "$binary")
if [ -n "$target" ]; then
  check_sum "$binary"
  install_over_ssh
else
  install_here
fi
