/**
 * Checks what the service needs: settings, master key, database, clock, disk, open files, channels, public address. Says
 * what is wrong and what solves it: `bun run doctor [--json] [--offline] [--quick]`. Providers are asked for their lists of models with the
 * credentials of enabled channels, but not with `--offline`. With `--quick`, as at every start, only settings, database
 * and host are looked at. Read-only. Exit code 0: no problem; 1: at least one.
 */
import { parseArgs } from "node:util";
import { examine } from "../doctor/service.ts";
import { writeFindings } from "../doctor/write-findings.ts";
import { redact } from "../platform/log.ts";

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    offline: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
  },
  strict: true,
});
const findings = await examine({ isOffline: values.offline, isQuick: values.quick });
process.stdout.write(redact(values.json ? `${JSON.stringify({ findings })}\n` : writeFindings(findings)));
process.exitCode = findings.some(({ level }) => level === "problem") ? 1 : 0;
