import { afterAll, beforeAll, expect, test } from "bun:test";
import { adminOperation } from "@sluice/contracts/admin-rights";
import { audit, byCaller } from "@sluice/control-plane/admin/audit/service.ts";
import { changePreviewEndpoints } from "@sluice/control-plane/admin/change-preview/routes.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { type AnyEndpoint, endpoint } from "@sluice/control-plane/platform/endpoint/model.ts";
import { z } from "zod";
import { createTestDatabase, type TestDatabase } from "../../support/postgres/test-database.ts";
import { type EndpointServer, serveEndpoints } from "../../support/service/endpoint-server.ts";

let server: TestDatabase;
let db: Database;
let http: EndpointServer;
const poolMax = 3;

beforeAll(async () => {
  server = await createTestDatabase();
  db = openDatabase({ url: server.url, poolMax, applicationName: "test" });
  const endpoints: AnyEndpoint[] = [changeOfGroup(), ...changePreviewEndpoints({ db, endpoints: () => endpoints })];
  http = serveEndpoints(endpoints);
});

afterAll(async () => {
  await http.stop();
  await db.close(1_000);
  await server.drop();
});

/** A change after which it is read which models the group reaches, within the change and without it. */
function changeOfGroup(): AnyEndpoint {
  return endpoint({
    method: "POST",
    ...adminOperation("/backend/admin/group/save/"),
    input: z.strictObject({}),
    output: z.strictObject({}),
    errors: [],
    summary: "Change a group",
    handle: async (call) => {
      const change = { subjectKind: "group", subjectId: "default", before: {}, after: {} };
      await db.withTransaction((tx) => audit(tx, byCaller(call), "group.save", change));
      return {};
    },
  });
}

test("previews at once wait for each other, and never for a connection that another one of them holds", async () => {
  const preview = () =>
    fetch(`${http.url}/backend/admin/change/preview/`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-test-admin": "super" },
      body: JSON.stringify({ operation: "/backend/admin/group/save/", input: {} }),
    });
  const answers = await Promise.all(Array.from({ length: poolMax * 4 }, preview));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  for (const answer of answers) {
    expect(await answer.json()).toMatchObject({ changes: true, problem: null });
  }
});
