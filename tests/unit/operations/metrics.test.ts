import { afterAll, expect, test } from "bun:test";
import { networkInterfaces } from "node:os";
import { createApp } from "@sluice/control-plane/app.ts";
import { type MetricsAccess, metricsAccess, operationsRoutes } from "@sluice/control-plane/operations/routes.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import { Registry } from "prom-client";

const stops: (() => Promise<unknown>)[] = [];
afterAll(() => Promise.all(stops.map((stop) => stop())));

type Asked = { readonly headers?: Record<string, string>; readonly host?: string };

function serve(access: MetricsAccess) {
  const probes = operationsRoutes(() => [], new Registry(), access);
  const log = createLog("error", () => undefined);
  const server = createApp({ probes }, null, log, () => false).listen({ hostname: "0.0.0.0", port: 0 });
  stops.push(() => server.stop(true));
  return async ({ headers = {}, host = "127.0.0.1" }: Asked = {}): Promise<number> => {
    const answer = await fetch(`http://${host}:${server.port}/metrics`, { headers });
    await answer.arrayBuffer();
    return answer.status;
  };
}

test("metrics are readable with the token, and do not exist for anyone else", async () => {
  const read = serve({ token: "a-token-of-16-bytes" });
  expect(await read()).toBe(404);
  expect(await read({ headers: { authorization: "Bearer another-token-16b" } })).toBe(404);
  expect(await read({ headers: { authorization: "Bearer a-token-of-16-bytes" } })).toBe(200);
});

test("metrics do not exist unless their readers are configured", async () => {
  expect(await serve("closed")()).toBe(404);
  expect(metricsAccess(undefined, "production")).toBe("closed");
});

/** An address of this machine that is not loopback, as other machines would come from; none without a network. */
const outside = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address;

test("metrics are open in development to programs on this machine, but not through a proxy on it", async () => {
  expect([metricsAccess(undefined, "development"), metricsAccess(undefined, "test")]).toEqual([
    "on_this_machine",
    "on_this_machine",
  ]);
  const read = serve("on_this_machine");
  expect(await read()).toBe(200);
  for (const name of ["x-forwarded-for", "x-real-ip", "forwarded", "via"]) {
    expect([name, await read({ headers: { [name]: "127.0.0.1" } })]).toEqual([name, 404]);
  }
});

test.if(outside !== undefined)("metrics do not exist in development for anyone coming over the network", async () => {
  expect(await serve("on_this_machine")({ host: outside ?? "" })).toBe(404);
});
