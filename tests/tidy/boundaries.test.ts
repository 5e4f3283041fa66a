import { describe, expect, test } from "bun:test";
import {
  type BoundaryTable,
  everyService,
  findBoundaryViolations,
  findPurityViolations,
  resolveImport,
} from "./boundary-check.ts";
import { beyondKnown } from "./ratchet.ts";
import { findSqlViolations } from "./sql-check.ts";
import { listFiles, readCode, readText, type SourceFile } from "./tree.ts";

const packages = (...names: string[]): string[] => names.map((name) => `packages/${name}`);

/** Lower layers know nothing of higher ones; the three applications never import each other. */
const workspaces = {
  "packages/contracts": [],
  // The HTTP client of the two programs that call a server they do not trust.
  "packages/http-client": [],
  // Where connections to a server that is not trusted may go, for the same two programs.
  "packages/server-addresses": [],
  "packages/messages-conversion": packages("contracts"),
  "packages/exit-protocol": packages("contracts"),
  // It stands in for somebody else's server, so it shares no code with the product but the contracts.
  "packages/sandbox-provider": packages("contracts"),
  // The sandbox is for trying out and for tests; the product never depends on it.
  "control-plane": packages("contracts", "http-client", "server-addresses", "messages-conversion", "exit-protocol"),
  // The agent is one small binary for a remote host.
  "node-agent": packages("contracts", "exit-protocol", "http-client", "server-addresses"),
  web: packages("contracts"),
  // It starts the applications as processes and never imports them.
  deploy: packages("contracts", "messages-conversion", "exit-protocol", "sandbox-provider"),
  tests: [
    ...packages(
      "contracts",
      "http-client",
      "server-addresses",
      "messages-conversion",
      "exit-protocol",
      "sandbox-provider",
    ),
    ...["control-plane", "node-agent", "web", "deploy"],
  ],
};

const leaf = ["platform", "db"];
const edge = [...leaf, everyService];

/**
 * What is not listed is forbidden. Across features only the doors (below), model.ts, errors.ts and port.ts can be seen. A
 * row such as admin/audit is a room within a room, with rules of its own.
 */
const features = {
  // Free of the product, so that they can be understood and tested alone.
  platform: [],
  db: ["platform"],
  // Leaves: no other feature is needed to understand them.
  "admin/audit": leaf,
  ledger: leaf,
  "admin/campaigns": leaf,
  // Who changes a secret is recorded, and some take two.
  "admin/secrets": [...leaf, "admin/approvals"],
  // Units, prices and what they cost.
  models: leaf,
  // The log of calls, and all that is made of it: views, settlement, sums, reports.
  usage: [...leaf, "admin/audit", "models"],
  // Reading a payload is recorded; so is what the end of the retention destroyed.
  trace: [...leaf, "admin/audit"],
  // Some of them let admins do more, which takes two.
  "admin/settings": [...leaf, "admin/approvals", "admin/audit"],
  mail: [...leaf, "admin/audit"],
  // Reports to users by mail.
  accounts: [...leaf, "admin/approvals", "admin/audit", "mail"],
  "admin/upstream-auth": [...leaf, "admin/audit", "admin/secrets"],
  "exit-nodes": [...leaf, "admin/audit", "admin/secrets"],
  "admin/leads": [...leaf, "admin/audit"],
  // Keys belong to accounts; what users change about them is audited.
  gateway: [...leaf, "accounts", "admin/approvals", "admin/audit", "models", "usage"],
  // Amounts that admins move, limited and agreed to; what moves them is passed in. Reports to the others by mail.
  "admin/approvals": [...leaf, "admin/audit", "mail"],
  // Adapters of the payment gateways: what they sign, what they say. They know no orders.
  "payments/gateways": [...leaf, "admin/secrets"],
  // A paid order grants quota.
  payments: [
    ...[...leaf, "accounts", "admin/approvals", "admin/audit", "ledger", "payments/gateways", "gateway", "mail"],
  ],
  // The hot path has no SQL and posts no money.
  relay: ["platform", "gateway", "exit-nodes", "trace"],
  // The model map is a table of its own; calls go the way of the relay.
  "messages-compat": [...leaf, "admin/audit", "gateway", "relay"],
  // It draws the pages whose states accounts declare.
  pages: ["platform", "accounts"],
  // It reads declarations; the endpoints come from the composition.
  "api-description": ["platform"],
  // Health and metrics get what they show from the composition.
  operations: ["platform"],
  // The edges of the graph act through the services of the features.
  admin: edge,
  commands: edge,
};

/** The files of a feature that others may import, where it is not service.ts alone; they keep their own names. */
const doors = {
  models: ["cost.ts", "model-store.ts", "units.ts"],
  usage: ["log/model.ts", "rollup/roll-up.ts"],
  payments: ["plans/plans.ts"],
  "payments/gateways": ["payment-gateways.ts"],
  admin: [],
};

function readPackages(): Map<string, string> {
  const manifests = listFiles().filter((path) => path.endsWith("/package.json"));
  return new Map(
    manifests.map((path) => {
      const { name } = JSON.parse(readText(path) ?? "") as { name: string };
      return [name, path.slice(0, -"/package.json".length)];
    }),
  );
}

/** May only shrink. Making a key takes chance, so it belongs beside the model and not into it. */
const knownImpure: string[] = [];

/** May only shrink. */
const knownSql: string[] = [];

const table: BoundaryTable = {
  packages: readPackages(),
  workspaces,
  features,
  doors,
  open: ["platform", "db"],
  composition: ["app.ts", "compose/", "main.ts"],
};

const tree = readCode();

/** The table over invented files, with the package names of all workspaces that are planned. */
function violationsOf(files: Record<string, string>): string[] {
  const names = Object.keys(workspaces).map((folder): [string, string] => [
    `@sluice/${folder.replace("packages/", "")}`,
    folder,
  ]);
  return findBoundaryViolations({ ...table, packages: new Map(names) }, invented(files));
}

function invented(files: Record<string, string>): SourceFile[] {
  return Object.entries(files).map(([path, text]) => ({ path, text }));
}

describe("the tree", () => {
  test("imports only what the table allows", () => {
    expect(tree.map(({ path }) => path)).toContain("packages/contracts/src/ids.ts");
    expect(findBoundaryViolations(table, tree)).toEqual([]);
  });

  test("has a row in the table of workspaces for every workspace", () => {
    expect([...table.packages.values()].filter((folder) => !(folder in workspaces))).toEqual([]);
  });

  test("keeps types and pure rules free of input, output and frameworks", () => {
    expect(beyondKnown(findPurityViolations(tree), knownImpure)).toEqual([]);
  });

  test("speaks SQL only in its stores", () => {
    expect(beyondKnown(findSqlViolations(tree), knownSql)).toEqual([]);
  });
});

describe("between workspaces", () => {
  test.each([
    ["a package may not import an application", "packages/exit-protocol/src/a.ts", "@sluice/control-plane/app.ts"],
    ["contracts import no other package", "packages/contracts/src/a.ts", "@sluice/exit-protocol/parse"],
    [
      "packages of one layer do not import each other",
      "packages/messages-conversion/src/a.ts",
      "@sluice/exit-protocol/parse",
    ],
    ["the control plane does not import the agent", "control-plane/src/relay/a.ts", "@sluice/node-agent/proxy"],
    ["the control plane does not import the sandbox", "control-plane/src/relay/a.ts", "@sluice/sandbox-provider/main"],
    ["the web does not import the control plane", "web/src/site/home.tsx", "@sluice/control-plane/pages/model.ts"],
    ["the agent does not import the control plane", "node-agent/src/proxy.ts", "@sluice/control-plane/app.ts"],
    ["deploy does not import the control plane", "deploy/start/main.ts", "@sluice/control-plane/main.ts"],
    ["nothing imports the tests", "deploy/start/main.ts", "@sluice/tests/support/a"],
  ])("%s", (_rule, path, specifier) => {
    expect(violationsOf({ [path]: `import type { A } from "${specifier}";` })).toEqual([
      expect.stringMatching(/may not import/),
    ]);
  });

  test("another workspace is not reached by a relative path", () => {
    expect(violationsOf({ "tests/unit/a.test.ts": 'import "../../control-plane/src/app.ts";' })).toEqual([
      expect.stringMatching(/by its package name/),
    ]);
  });

  test("a workspace does not go through its own package name", () => {
    const text = 'import "@sluice/control-plane/ledger/store.ts";';
    expect(violationsOf({ "control-plane/src/relay/a.ts": text })).toEqual([expect.stringMatching(/relative path/)]);
  });

  test("a workspace without a row is reported", () => {
    expect(violationsOf({ "packages/extra/src/a.ts": 'import "@sluice/contracts/ids";' })).toEqual([
      expect.stringMatching(/has no row/),
    ]);
  });

  test("what the table lists is allowed", () => {
    expect(
      violationsOf({
        "packages/exit-protocol/src/a.ts": 'import type { Brand } from "@sluice/contracts/ids";',
        "control-plane/src/relay/a.ts": 'import { parse } from "@sluice/exit-protocol/parse"; import { z } from "zod";',
        "tests/unit/a.test.ts":
          'import { post } from "@sluice/control-plane/ledger/store.ts"; import "../support/a.ts";',
      }),
    ).toEqual([]);
  });
});

describe("inside the control plane", () => {
  test.each([
    ["platform knows no feature", "platform/log.ts", "../accounts/model.ts"],
    ["platform does not know the schema", "platform/outbox.ts", "../db/schema/outbox.ts"],
    ["the schema knows no feature", "db/schema/ledger.ts", "../../ledger/model.ts"],
    ["leaves do not know each other", "ledger/service.ts", "../accounts/model.ts"],
    ["the gateway posts no money", "gateway/settle/settle-quota.ts", "../../ledger/service.ts"],
    ["the gateway does not know the relay", "gateway/pipeline.ts", "../relay/model.ts"],
    ["the relay has no database", "relay/service.ts", "../db/columns.ts"],
    ["the relay posts no money", "relay/service.ts", "../ledger/service.ts"],
    ["the relay does not know payments", "relay/service.ts", "../payments/model.ts"],
    ["the messages route keeps no trace by itself", "messages-compat/routes.ts", "../trace/service.ts"],
    ["payment gateways do not know orders", "payments/gateways/payment-gateways.ts", "../orders/orders.ts"],
    ["usage does not know the gateway", "usage/views/usage-views.ts", "../../gateway/model.ts"],
    ["pages have no database", "pages/routes.ts", "../db/columns.ts"],
    ["operations know no feature", "operations/routes.ts", "../gateway/service.ts"],
  ])("%s", (_rule, path, specifier) => {
    expect(violationsOf({ [`control-plane/src/${path}`]: `import { a } from "${specifier}";` })).toEqual([
      expect.stringMatching(/may not import/),
    ]);
  });

  test.each([
    ["a store", "payments/routes.ts", "../ledger/store.ts"],
    ["a route", "relay/routes.ts", "../trace/routes.ts"],
    ["a file with a name of its own", "relay/service.ts", "../gateway/pipeline.ts"],
    ["a service below the top of the feature", "payments/routes.ts", "../gateway/keys/service.ts"],
    ["a file that the doors of its feature do not name", "gateway/runtime.ts", "../usage/log/usage-store.ts"],
  ])("%s of another feature is private", (_rule, path, specifier) => {
    expect(violationsOf({ [`control-plane/src/${path}`]: `export * from "${specifier}";` })).toEqual([
      expect.stringMatching(/is private to/),
    ]);
  });

  test("the edges act through services only", () => {
    const files = { "control-plane/src/admin/routes.ts": 'import { freeze } from "../accounts/model.ts";' };
    expect(violationsOf(files)).toEqual([expect.stringMatching(/only service\.ts of accounts/)]);
    expect(violationsOf({ "control-plane/src/commands/seed.ts": 'import { a } from "../ledger/service.ts";' })).toEqual(
      [],
    );
  });

  test("nobody imports the composition of the program", () => {
    expect(
      violationsOf({ "control-plane/src/relay/service.ts": 'import { deps } from "../compose/program.ts";' }),
    ).toEqual([expect.stringMatching(/composition/)]);
  });

  test("the composition may import everything", () => {
    const text =
      'import "../ledger/store.ts"; import "../gateway/pipeline.ts"; import "../app.ts"; import "../db/migrate.ts";';
    expect(violationsOf({ "control-plane/src/compose/program.ts": text })).toEqual([]);
  });

  test("a folder without a row and a stray file at the root are reported", () => {
    expect(violationsOf({ "control-plane/src/extras/service.ts": "", "control-plane/src/start.ts": "" })).toEqual([
      expect.stringMatching(/extras has no row/),
      expect.stringMatching(/stand at the root/),
    ]);
  });

  test("what the table lists is allowed", () => {
    expect(
      violationsOf({
        "control-plane/src/relay/service.ts": 'import type { GatewayPort } from "../gateway/port.ts";',
        "control-plane/src/gateway/keys/store.ts":
          'import { keys } from "../../db/schema/gateway.ts"; import { lease } from "../quota/store.ts";',
        "control-plane/src/payments/settle/settle-paid.ts":
          'import { post } from "../ledger/service.ts"; import { now } from "../platform/clock.ts";',
      }),
    ).toEqual([]);
  });
});

describe("every way to name a module is seen", () => {
  test.each([
    ["a value import", 'import { a } from "../ledger/model.ts";'],
    ["a type import", 'import type { A } from "../ledger/model.ts";'],
    ["an import for its effect", 'import "../ledger/model.ts";'],
    ["a re-export", 'export { a } from "../ledger/model.ts";'],
    ["a type re-export", 'export type { A } from "../ledger/model.ts";'],
    ["a re-export of everything", 'export * as ledger from "../ledger/model.ts";'],
    ["an empty re-export", 'export {} from "../ledger/model.ts";'],
    ["a dynamic import", 'const ledger = await import("../ledger/model.ts");'],
    ["a dynamic import by template", "const ledger = await import(`../ledger/model.ts`);"],
    ["an import type", 'type A = import("../ledger/model.ts").A;'],
    ["a require", 'const ledger = require("../ledger/model.ts");'],
  ])("%s", (_form, text) => {
    expect(violationsOf({ "control-plane/src/relay/service.ts": text })).toEqual([
      "control-plane/src/relay/service.ts:1 -> control-plane/src/ledger/model.ts: relay may not import ledger",
    ]);
  });

  test.each([
    ["a computed target", "const part = await import(name);", /literally/],
    ["a target without its ending", 'import "../ledger/service";', /with its ending/],
    ["an alias", 'import "#ledger/service.ts";', /by relative path/],
    ["an absolute path", 'import "/ledger/service.ts";', /by relative path/],
  ])("%s is refused", (_form, text, reason) => {
    expect(violationsOf({ "control-plane/src/relay/service.ts": text })).toEqual([expect.stringMatching(reason)]);
  });

  test("a scoped package is recognised with and without a path after it", () => {
    expect(resolveImport("a/b.ts", "@scope/name/deep/file")).toEqual({ to: "@scope/name", isPath: false });
    expect(resolveImport("a/b.ts", "drizzle-orm/pg-core")).toEqual({ to: "drizzle-orm", isPath: false });
  });
});

describe("purity", () => {
  test.each([
    ["control-plane/src/gateway/model.ts", "node:crypto"],
    ["control-plane/src/ledger/model.ts", "./store.ts"],
    ["control-plane/src/accounts/model.ts", "drizzle-orm/pg-core"],
    ["packages/contracts/src/parse.ts", "bun"],
    ["packages/messages-conversion/src/stream.ts", "elysia"],
  ])("%s may not import %s", (path, specifier) => {
    expect(findPurityViolations(invented({ [path]: `import { a } from "${specifier}";` }))).toHaveLength(1);
  });

  test("a pure file may import other types, and a service may import anything", () => {
    const files = {
      "control-plane/src/gateway/model.ts": 'import type { HttpResponse } from "@sluice/http-client/model";',
      "control-plane/src/gateway/service.ts": 'import { randomBytes } from "node:crypto";',
    };
    expect(findPurityViolations(invented(files))).toEqual([]);
  });
});

describe("SQL outside the stores is seen", () => {
  test.each([
    ["a statement in a tagged template", "await sql`select 1`;"],
    ["a statement in a typed template", "await sql<Row[]>`with_columns`;"],
    ["a statement of a transaction", "await tx`update budget set remaining = 0`;"],
    ["a statement under another tag", "await connection`insert into budget values (1)`;"],
    ["a statement in a string", 'await client.query("select id from budget where id = 1");'],
    ["a statement in a plain template", "await client.query(`delete from budget\nwhere id = 1`);"],
    ["an unsafe query", "await client.unsafe(text);"],
    ["a raw fragment", "const order = sql.raw(text);"],
    ["a table of the schema", 'import { budgets } from "../db/schema/gateway.ts";'],
    ["the query builder", 'import { eq } from "drizzle-orm";'],
    ["the column types", 'import { bigint } from "drizzle-orm/pg-core";'],
    ["the driver", 'import type { Sql } from "postgres";'],
    ["the client of the runtime", 'import { SQL } from "bun";'],
    ["the ready-made client of the runtime", 'import { file, sql as query } from "bun";'],
    ["the client of the runtime by its global name", "const client = new Bun.SQL(url);"],
    ["the embedded database", 'import { Database } from "bun:sqlite";'],
  ])("%s", (_form, text) => {
    expect(findSqlViolations(invented({ "control-plane/src/gateway/service.ts": text }))).toHaveLength(1);
    expect(findSqlViolations(invented({ "control-plane/src/gateway/store.ts": text }))).toEqual([]);
  });

  test("the relay may not have a store", () => {
    const files = invented({ "control-plane/src/relay/store.ts": "await sql`select 1`;" });
    expect(findSqlViolations(files)).toEqual([expect.stringMatching(/never touches the database/)]);
  });

  test.each([
    "control-plane/src/gateway/spool/spool-store.ts",
    "control-plane/src/db/migrate.ts",
    "control-plane/src/platform/db.ts",
    "control-plane/src/platform/db-listener.ts",
    "deploy/start/postgres/database-store.ts",
    "tests/integration/quota.test.ts",
  ])("%s may speak SQL", (path) => {
    expect(findSqlViolations(invented({ [path]: "await sql`select 1`;" }))).toEqual([]);
  });

  test("sentences that begin like a statement are no SQL", () => {
    const text = 'const a = ["Select a plan from the list.", "update"]; await Bun.file(path); const b = `with a plan`;';
    expect(findSqlViolations(invented({ "control-plane/src/gateway/service.ts": text }))).toEqual([]);
  });
});
