import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startProgram } from "./start-process.ts";

/**
 * Replaces systemd with one service, which it runs as root. While /run/refuse-start exists it can't execute the release
 * that the file names.
 */
const systemctl = `#!/bin/bash
set -u
pid=/run/stub.pid program=/opt/sluice-node/current/sluice-node-agent
is_running() { [ -f $pid ] && kill -0 "$(cat $pid)" 2>/dev/null; }
end() { if is_running; then kill "$(cat $pid)"; while is_running; do sleep 0.05; done; fi; rm -f $pid; }
case "$1" in
  restart)
    end
    if [ -f /run/refuse-start ] && [[ "$(readlink /opt/sluice-node/current)" == *"$(cat /run/refuse-start)"* ]]; then
      echo "Job for $2.service failed." >&2
      exit 1
    fi
    set -a; . /etc/sluice-node/agent.env; set +a
    RELAY_KEYS_FILE=/etc/sluice-node/relay-keys PROVIDER_ACCOUNTS_FILE=/etc/sluice-node/provider-accounts \\
      setsid $program </dev/null >/run/stub.log 2>&1 9>&- &
    echo $! >$pid ;;
  disable) end ;;
  is-active) is_running ;;
esac
`;

/** A separate root over the real one: what is written there is gone with it, and so is every process in it. */
const inOwnRoot = `set -e
mount -t tmpfs tmpfs "$1"
mkdir -p "$1/upper" "$1/work" "$1/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
mount -t proc proc "$1/root/proc"
mount --rbind /dev "$1/root/dev"
# The folder of the test may lie in a file system of its own, which an overlay does not show.
mkdir -p "$1/root/run/systemd/system" "$1/root$2"
mount --rbind "$2" "$1/root$2"
mount --rbind "$3" "$1/root$3"
for name in systemctl journalctl; do
  install -m 0755 "$2/$name" "$1/root/usr/local/bin/$name"
done
exec chroot "$1/root" env "PATH=/usr/local/bin:$PATH" bash -c 'cd "$1"; . ./steps' bash "$2"
`;

const words = (root: string, folder: string, checkout: string) => [
  ...["unshare", "--mount", "--pid", "--fork", "--kill-child", "bash", "-c", inOwnRoot, "bash"],
  ...[root, folder, checkout],
];

/** Why no such root can be created here, or null. */
export function ownRootFault(): string | null {
  const folder = mkdtempSync(join(tmpdir(), "sluice-root-"));
  try {
    const probe =
      'mount -t tmpfs tmpfs "$0" && mkdir "$0/u" "$0/w" "$0/r" && mount -t overlay overlay -o "lowerdir=/,upperdir=$0/u,workdir=$0/w" "$0/r"';
    const result = Bun.spawnSync(["unshare", "--mount", "bash", "-c", probe, folder], {
      stdio: ["ignore", "ignore", "ignore"],
    });
    return result.exitCode === 0 ? null : "no root of its own can be made";
  } catch {
    return "unshare is not installed";
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs steps of a shell as an operator would on a machine with systemd. @param folder holds what they need */
export async function runAsSystem(folder: string, checkout: string, steps: readonly string[]): Promise<string> {
  const root = mkdtempSync(join(tmpdir(), "sluice-root-"));
  writeFileSync(join(folder, "systemctl"), systemctl);
  writeFileSync(join(folder, "journalctl"), "#!/bin/sh\ncat /run/stub.log\n");
  writeFileSync(join(folder, "steps"), `${steps.join("\n")}\n`);
  const program = startProgram({ command: words(root, folder, checkout), env: {} });
  await program.exited;
  rmSync(root, { recursive: true });
  return program.output();
}
