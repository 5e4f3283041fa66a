import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GroupLog } from "@sluice/control-plane/platform/spool/group-log.ts";

/** A temporary folder for a log. */
export class LogFolder implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), "sluice-groups-"));

  open(committedId = 0): GroupLog {
    return new GroupLog(this.path, committedId);
  }

  files(): string[] {
    return readdirSync(this.path)
      .sort()
      .map((name) => join(this.path, name));
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true });
  }
}

export function append(log: GroupLog, id: number, body: string): void {
  log.append({ id, count: body.split("\n").length, body: Buffer.from(body) }, 1_000 + id);
}
