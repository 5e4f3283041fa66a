import { expect, test } from "bun:test";
import { type MetricsAccess, operationsRoutes } from "@sluice/control-plane/operations/routes.ts";
import { Registry } from "prom-client";

async function read(access: MetricsAccess, authorization?: string): Promise<number> {
  const headers = authorization === undefined ? {} : { authorization };
  const routes = operationsRoutes(() => [], new Registry(), access);
  return (await routes.handle(new Request("http://localhost/metrics", { headers }))).status;
}

test("metrics are read by whoever has the token, and are not there for anybody else", async () => {
  const access = { token: "a token of an operator" };
  expect(await read(access, "Bearer a token of an operator")).toBe(200);
  expect(await read(access, "Bearer a token of an operatoR")).toBe(404);
  expect(await read(access)).toBe(404);
  expect(await read("closed", "Bearer a token of an operator")).toBe(404);
  expect(await read("open")).toBe(200);
});
