import { describe, expect, test } from "bun:test";
import { type BoundaryTable, everyService, findBoundaryViolations, findPurityViolations } from "./boundary-check.ts";
import { findSqlViolations } from "./sql-check.ts";
import { listFiles, readCode, readText } from "./tree.ts";

const packages = (...names: string[]): string[] => names.map((name) => `packages/${name}`);

/** Lower layers know nothing of higher ones; the three applications never import each other. */
const workspaces = {
  "packages/contracts": [],
  // The HTTP client of the two programs that call a server they do not trust.
  "packages/http-client": packages("server-addresses"),
  // Where connections to a server that is not trusted may go, for the same two programs.
  "packages/server-addresses": [],
  "packages/messages-conversion": packages("contracts"),
  // Requests and responses of one dialect in terms of another; chat completions are read as for Messages clients.
  "packages/dialect-conversion": packages("messages-conversion"),
  "packages/exit-protocol": packages("contracts"),
  // It replaces a foreign server, so it shares no code with the product but the contracts.
  "packages/sandbox-provider": packages("contracts"),
  // The sandbox is for trying out and for tests; the product never depends on it.
  "control-plane": packages(
    "contracts",
    "http-client",
    "server-addresses",
    "messages-conversion",
    "dialect-conversion",
    "exit-protocol",
  ),
  // The agent is one small binary for a remote host.
  "node-agent": packages("contracts", "exit-protocol", "http-client", "server-addresses"),
  web: packages("contracts"),
  // A client of the API, which is described by the contracts.
  cli: packages("contracts"),
  // It starts the applications as processes and never imports them.
  deploy: packages("contracts", "messages-conversion", "exit-protocol", "sandbox-provider"),
  // The one-file build, which is all programs of a service together.
  binary: [...packages("sandbox-provider"), "control-plane", "cli", "deploy"],
  tests: [
    ...packages(
      "contracts",
      "http-client",
      "server-addresses",
      "messages-conversion",
      "dialect-conversion",
      "exit-protocol",
      "sandbox-provider",
    ),
    ...["control-plane", "node-agent", "web", "cli", "binary", "deploy"],
  ],
};

const leaf = ["platform", "db"];
const edge = [...leaf, everyService];

/**
 * What is not listed is forbidden. Across features only the doors (below), model.ts, errors.ts and port.ts can be seen.
 * A row such as admin/audit is a room within a room, with separate rules.
 */
const features = {
  // Free of the product, so that they can be understood and tested alone.
  platform: [],
  db: ["platform"],
  // Leaves: no other feature is needed to understand them.
  "admin/audit": leaf,
  // What happened, recorded in the transaction in which it happened.
  events: leaf,
  // The result of the nightly check is an event.
  ledger: [...leaf, "events"],
  // Webhooks, and messages to operators by mail and chat.
  "event-targets": [...leaf, "admin/approvals", "admin/audit", "events", "mail"],
  "admin/campaigns": leaf,
  // Changes of secrets are recorded, and some need two people.
  "admin/secrets": [...leaf, "admin/approvals", "admin/audit"],
  // Units, prices and what they cost.
  models: leaf,
  // The log of calls, and everything derived from it: views, settlement, sums, reports.
  usage: [...leaf, "admin/audit", "events", "models"],
  // Reading a payload is recorded; so is what the end of the retention destroyed. A trace is part of the record of its call.
  trace: [...leaf, "admin/audit", "usage"],
  // Some of them let admins do more, which needs two people.
  "admin/settings": [...leaf, "admin/approvals", "admin/audit"],
  mail: [...leaf, "admin/audit", "events"],
  // How the models do, for everyone; incidents are recorded.
  status: [...leaf, "admin/audit"],
  // What the operator uploads and writes.
  branding: [...leaf, "admin/audit"],
  // Who has accepted what the operator writes.
  consents: [...leaf, "admin/audit", "branding"],
  // Reports to users by mail; newcomers accept the operator's terms.
  accounts: [...leaf, "admin/approvals", "admin/audit", "consents", "mail"],
  "admin/upstream-auth": [...leaf, "admin/audit", "admin/secrets"],
  "exit-nodes": [...leaf, "admin/audit", "admin/secrets", "events"],
  "admin/leads": [...leaf, "admin/audit"],
  // Keys belong to accounts; what users change about them is audited.
  gateway: [...leaf, "accounts", "admin/approvals", "admin/audit", "events", "models", "usage"],
  // Limits and approvals for amounts that admins move; the function that moves them is passed in. Reports to the others
  // by mail.
  "admin/approvals": [...leaf, "admin/audit", "mail"],
  // Adapters of the payment gateways: signatures and messages. They know no orders.
  "payments/gateways": [...leaf, "admin/secrets"],
  // People who share an account of the gateway; they are invited by mail.
  organisations: [...leaf, "accounts", "admin/audit", "gateway", "mail"],
  // A paid order grants quota.
  payments: [
    ...[
      ...leaf,
      "accounts",
      "admin/approvals",
      "admin/audit",
      "events",
      "ledger",
      "payments/gateways",
      "gateway",
      "mail",
    ],
  ],
  // Customers of other gateways, who bring their keys, balances and prices.
  moving: [...leaf, "accounts", "admin/audit", "gateway", "ledger", "organisations", "payments"],
  // It looks at everything, and changes nothing.
  doctor: [...leaf, "admin", "gateway"],
  // A listener; what its responses are made of is the gateway's.
  front: ["platform", "gateway"],
  // The hot path has no SQL and posts no money.
  relay: ["platform", "gateway", "exit-nodes", "trace"],
  // The model map is a separate table; calls take the path of the relay.
  "messages-compat": [...leaf, "admin/audit", "gateway", "relay"],
  // It draws the pages whose states accounts declare.
  pages: ["platform", "accounts", "branding"],
  // It reads declarations; the endpoints come from the composition.
  "api-description": ["platform"],
  // Health and metrics get what they show from the composition.
  operations: ["platform"],
  // The edges of the graph act through the services of the features.
  admin: edge,
  commands: edge,
};

/** The files of a feature that others may import, if that is not service.ts alone; they keep their own names. */
const doors = {
  accounts: [
    ...["email-address.ts", "admins/command-admins.ts", "admins/super-admins.ts", "attempts/sender-limits.ts"],
    ...[
      "registration/closed-marks.ts",
      "registration/invitation-codes.ts",
      "sign-in/providers.ts",
      "totp/second-factor.ts",
    ],
    "totp/imported-authenticator.ts",
    ...["users/imported-users.ts", "users/known-users.ts"],
  ],
  gateway: [
    ...[
      "gateway-users.ts",
      "groups/imported-groups.ts",
      "keys/create-key.ts",
      "keys/imported-keys.ts",
      "keys/key-quota.ts",
    ],
    ...["catalog-admin/imported-models.ts", "catalog-admin/save-channel.ts", "catalog-admin/save-ability.ts"],
    ...["catalog-admin/save-credential.ts", "catalog-admin/try-credential.ts", "account-limits/imported-limits.ts"],
    ...["channels/channels.ts", "channels/credentials.ts", "channels/exit-channels.ts"],
    ...["quota/grant-store.ts", "quota/lease-upkeep.ts", "quota/replica-store.ts"],
  ],
  "event-targets": ["access.ts"],
  branding: ["service.ts", "render-legal.ts"],
  organisations: ["people.ts", "imported-organisations.ts"],
  doctor: ["service.ts", "write-findings.ts"],
  moving: ["service.ts", "model.ts", "move-calls.ts", "read-source.ts", "write-report.ts", "export/write-export.ts"],
  models: ["add-model.ts", "cost.ts", "model.ts", "model-store.ts", "units.ts"],
  usage: [
    "log/call-record.ts",
    "log/record-reader.ts",
    "log/model.ts",
    "reports/performance-store.ts",
    "rollup/roll-up.ts",
    "views/earlier-store.ts",
  ],
  payments: ["plans/plans.ts", "codes/imported-codes.ts", "codes/sealed-seed.ts"],
  relay: ["served-call.ts", "service.ts"],
  "payments/gateways": ["payment-gateways.ts"],
  admin: ["master-key/sealed-columns.ts"],
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

const table: BoundaryTable = {
  packages: readPackages(),
  workspaces,
  features,
  doors,
  open: ["platform", "db"],
  composition: ["app.ts", "compose/", "main.ts"],
  // The program of the pages has the number of its build in its name.
  computed: ["binary/src/draw-pages.ts"],
};

const tree = readCode();

describe("the tree", () => {
  test("imports only what the table allows", () => {
    expect(tree.map(({ path }) => path)).toContain("packages/contracts/src/ids.ts");
    expect(findBoundaryViolations(table, tree)).toEqual([]);
  });

  test("has a row in the table of workspaces for every workspace", () => {
    expect([...table.packages.values()].filter((folder) => !(folder in workspaces))).toEqual([]);
  });

  test("keeps types and pure rules free of input, output and frameworks", () => {
    expect(findPurityViolations(tree)).toEqual([]);
  });

  test("uses SQL only in its stores", () => {
    expect(findSqlViolations(tree)).toEqual([]);
  });
});

test("a violation of each rule is detected", () => {
  const path = "control-plane/src/relay/model.ts";
  const files = [{ path, text: 'import { post } from "../ledger/service.ts"; await sql`select 1`;' }];
  expect(findBoundaryViolations(table, files)).toHaveLength(1);
  expect(findPurityViolations(files)).toHaveLength(1);
  expect(findSqlViolations(files)).toHaveLength(1);
});
