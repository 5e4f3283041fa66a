import { expect, test } from "bun:test";
import { createLog } from "@sluice/control-plane/platform/log.ts";

test.each(["sk-", "sl-mgmt-"])("no line of the log has a credential that begins with %p", (prefix) => {
  const lines: string[] = [];
  const body = "a1B2".repeat(12);
  const log = createLog("info", (line) => lines.push(line));
  log.error("test", { said: `the key ${prefix}${body} is wrong`, error: new Error(`${prefix}${body}`) });
  expect(lines.join("")).toContain(`${prefix}[redacted] is wrong`);
  expect(lines.join("")).not.toContain(body);
});
