/**
 * Copies what is in a folder into another one. Files keep owners and modes, which Postgres asks for; the Postgres of these files has stopped.
 * @throws Error with what `cp` says
 */
export async function copyFiles(from: string, to: string): Promise<void> {
  const copying = Bun.spawn(["cp", "-a", `${from}/.`, to], { stdin: "ignore", stdout: "ignore", stderr: "pipe" });
  const said = await copying.stderr.text();
  if ((await copying.exited) !== 0) {
    throw new Error(`${from} could not be copied: ${said}`);
  }
}
