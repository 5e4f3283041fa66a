import { describe, expect, test } from "bun:test";
import { isPrivateUpstreamAllowed, openUpstreamGuard } from "@sluice/control-plane/platform/address-guard.ts";
import { loadConfig } from "@sluice/control-plane/platform/config.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";

const lines: string[] = [];
const log = createLog("info", (line) => lines.push(line));

test("channels lead only to public addresses in production, unless the environment says otherwise", () => {
  const allowed = (env: Record<string, string>) =>
    isPrivateUpstreamAllowed(loadConfig({ DATABASE_URL: "postgres://a", ...env }));
  expect([allowed({}), allowed({ NODE_ENV: "test" }), allowed({ NODE_ENV: "production" })]).toEqual([
    true,
    true,
    false,
  ]);
  expect(allowed({ NODE_ENV: "production", UPSTREAM_PRIVATE_ALLOWED: "true" })).toBe(true);
  expect(allowed({ UPSTREAM_PRIVATE_ALLOWED: "false" })).toBe(false);
});

describe("the sandbox of this process", () => {
  const sandboxed = (env: Record<string, string>) =>
    openUpstreamGuard(loadConfig({ DATABASE_URL: "postgres://a", NODE_ENV: "production", ...env }), log);

  test("may be called in production at its own address and port, and at no other", async () => {
    const guard = sandboxed({ SANDBOX_URL: "http://127.0.0.1:41595" });
    const outcomes = await Promise.allSettled(
      [
        { hostname: "127.0.0.1", port: 41_595 },
        { hostname: "127.0.0.1", port: 5_432 },
        { hostname: "127.0.0.2", port: 41_595 },
        { hostname: "::1", port: 41_595 },
        { hostname: "localhost", port: 41_595 },
        { hostname: "10.0.0.1", port: 443 },
      ].map((place) => guard.addressesOf(place)),
    );
    expect(outcomes.map(({ status }) => status === "fulfilled")).toEqual([true, false, false, false, false, false]);
    const none = sandboxed({});
    await expect(none.addressesOf({ hostname: "127.0.0.1", port: 41_595 })).rejects.toThrow("not allowed");
  });

  test("is found at the usual port of its address, in brackets too, and never where clouds keep credentials", async () => {
    expect(await sandboxed({ SANDBOX_URL: "http://[::1]" }).addressesOf({ hostname: "::1", port: 80 })).toEqual([
      "::1",
    ]);
    const metadata = sandboxed({ SANDBOX_URL: "http://169.254.169.254" });
    await expect(metadata.addressesOf({ hostname: "169.254.169.254", port: 80 })).rejects.toThrow("no model server");
  });
});

test("a refused address is in the log, and the operator reads how to fix it, and what can't be allowed", async () => {
  const config = loadConfig({ DATABASE_URL: "postgres://a", NODE_ENV: "production" });
  const refusal = (hostname: string) => openUpstreamGuard(config, log).addressesOf({ hostname, port: 443 });
  lines.length = 0;
  await expect(refusal("10.0.0.1")).rejects.toThrow("UPSTREAM_PRIVATE_ALLOWED=true");
  expect(lines.join("")).toContain('"host":"10.0.0.1","address":"10.0.0.1"');
  await expect(refusal("169.254.169.254")).rejects.toThrow("no model server is there");
});
