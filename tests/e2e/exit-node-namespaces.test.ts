import { afterAll, beforeAll, expect, test } from "bun:test";
import type { RequestId } from "@sluice/contracts/ids";
import { systemClock, utcDay } from "@sluice/control-plane/platform/clock.ts";
import { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";
import { TraceService } from "@sluice/control-plane/trace/service.ts";
import { waitUntil } from "../support/calls/relay-scene.ts";
import { ExitNodeNetwork, type NetworkNode } from "../support/exit-nodes/exit-node-network.ts";
import { namespaceFault } from "../support/exit-nodes/network-namespaces.ts";
import { nextRelayKey, relayKey } from "../support/exit-nodes/node-agent.ts";
import { describeUnless, firstObstacle, unlessInstalled } from "../support/service/obstacles.ts";
import { masterKeyBytes, type TestUser } from "../support/service/sluice.ts";
import { noThread } from "../support/trace/payload-pair.ts";
import { PayloadCounts, silentLog } from "../support/trace/trace-fixtures.ts";

const fault = firstObstacle(unlessInstalled("ip", "dnsmasq"), namespaceFault());

const nodeA: NetworkNode = {
  ...{ code: "node-a", listens: 11, egress: 21 },
  ...{ relayKey, providerKey: "pk_canary_of_a_55d0c1e87b" },
};
const nodeB: NetworkNode = {
  ...{ code: "node-b", listens: 12, egress: 22 },
  ...{ relayKey: nextRelayKey, providerKey: "pk_canary_of_b_91ce24f03d" },
};
const keptSecret = [nodeA.providerKey, nodeB.providerKey, nodeA.relayKey, nodeB.relayKey];
const strangersKey = "rk-77d1be0345fa4c1f9b2e6d8c0a51e349";

let hosts: ExitNodeNetwork;
let userA: TestUser;
let userB: TestUser;

const hostOf = ({ code }: Pick<NetworkNode, "code">): string => `${code}.example.org`;
const addressOf = ({ listens }: NetworkNode): string => hosts.network.address(listens);

async function addNode(node: NetworkNode): Promise<TestUser> {
  const place = { host: hostOf(node), ip: addressOf(node), relay_url: hosts.urlOf(node), relay_key: node.relayKey };
  await hosts.scene.save({ node_code: node.code, name: node.code, ...place });
  await hosts.scene.check(node.code);
  return await hosts.scene.addRoutedUser(`route-${node.code}`, { node_code: node.code });
}

/** Everything in a database dump: every row of every table as text, bytes in hexadecimal. */
async function dumpDatabase(): Promise<string> {
  const { sql } = hosts.scene.rig.db;
  const tables = await sql<{ name: string }>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema')`;
  const rows = await Promise.all(
    tables.map(async ({ name }) => {
      const client = new Bun.SQL({ url: hosts.scene.rig.database.url, max: 1 });
      try {
        return await client.unsafe(`select t::text as line from ${name} t`);
      } finally {
        await client.close();
      }
    }),
  );
  return rows.flatMap((table: { line: string }[]) => table.map(({ line }) => line)).join("\n");
}

/** A key in every possible form: in plain text, as bytes, in base64 at any offset. */
function spellings(key: string): string[] {
  const base64 = [0, 1, 2].map((skip) => Buffer.from(key.slice(skip, skip + 15)).toString("base64"));
  return [key, Buffer.from(key).toString("hex"), ...base64];
}

async function storedBodies(requestId: string): Promise<string> {
  const trace = new TraceService({
    db: hosts.scene.rig.db,
    masterKey: new MasterKey(masterKeyBytes),
    clock: systemClock,
    log: silentLog,
    thread: noThread,
    append: () => undefined,
    limits: { bodyBytesMax: 262_144, queueBytesMax: 1, queueCountMax: 1 },
    observer: new PayloadCounts(),
  });
  const day = utcDay(Number.parseInt(requestId.replaceAll("-", "").slice(0, 12), 16));
  const read = () => trace.readPayload(day, requestId as RequestId);
  await waitUntil(async () => (await read()) !== null);
  const payload = await read();
  return Buffer.concat([payload?.request ?? Buffer.alloc(0), payload?.response ?? Buffer.alloc(0)]).toString();
}

beforeAll(async () => {
  if (fault !== null) {
    return;
  }
  hosts = await ExitNodeNetwork.open([nodeA, nodeB]);
  await hosts.setNames({ [hostOf(nodeA)]: hosts.strangerAddress, [hostOf(nodeB)]: addressOf(nodeB) });
  [userA, userB] = [await addNode(nodeA), await addNode(nodeB)];
});

afterAll(async () => {
  await hosts?.[Symbol.asyncDispose]();
});

describeUnless(fault, "exit nodes on hosts of their own", () => {
  test("each call reaches the provider from the address of its node, with the key of that node", async () => {
    const answers = [await hosts.scene.chatOnceServed(userA), await hosts.scene.chatOnceServed(userB)];
    expect(answers.map(({ headers }) => headers.get("x-svc-exit-node"))).toEqual(["node-a", "node-b"]);
    for (const node of [nodeA, nodeB]) {
      const requests = await hosts.requestsWith(node.providerKey);
      expect(requests.length).toBeGreaterThan(0);
      expect([...new Set(requests.map(({ remoteAddress }) => remoteAddress))]).toEqual([
        hosts.network.address(node.egress),
      ]);
    }
    expect(await hosts.requestsWith(nodeA.relayKey)).toEqual([]);
  });

  test("a name that resolves to another server changes nothing, and that server gets nothing", async () => {
    const node = await hosts.scene.check("node-a");
    expect(node).toMatchObject({ relay_url: hosts.urlOf(nodeA), is_host_form: false, is_serving: true });
    expect(node.dns).toMatchObject({ resolved: [hosts.strangerAddress], matched: false });
    expect((await hosts.scene.chat(userA)).headers.get("x-svc-exit-node")).toBe("node-a");
    expect(hosts.heardByStranger()).toBe("");
  });

  test("a node switches to its name once the name resolves correctly; when DNS is wrong again, calls still reach the node", async () => {
    await hosts.setNames({ [hostOf(nodeA)]: addressOf(nodeA) });
    let node = await hosts.scene.check("node-a");
    expect([node.relay_url, node.dns?.matched]).toEqual([hosts.urlOf(nodeA), true]);
    await waitUntil(async () => {
      node = await hosts.scene.check("node-a");
      return node.is_host_form;
    });
    expect(node.relay_url).toBe(`http://${hostOf(nodeA)}:8790`);
    await hosts.setNames({ [hostOf(nodeA)]: hosts.strangerAddress });
    const later = await hosts.scene.check("node-a");
    expect([later.dns?.matched, later.relay_url]).toEqual([false, `http://${hostOf(nodeA)}:8790`]);
    expect((await hosts.scene.chatOnceServed(userA)).headers.get("x-svc-exit-node")).toBe("node-a");
    expect(hosts.heardByStranger()).toBe("");
  });

  test("an impostor at a node's address is asked for proof and never gets the relay key", async () => {
    await hosts.setNames({ "node-c.example.org": hosts.strangerAddress });
    const place = { ip: hosts.strangerAddress, relay_url: `http://${hosts.strangerAddress}:8790` };
    const input = { node_code: "node-c", name: "C", host: "node-c.example.org", ...place, relay_key: strangersKey };
    await hosts.scene.save(input);
    const user = await hosts.scene.addRoutedUser("route-node-c", { node_code: "node-c" });
    for (let each = 0; each < 4; each += 1) {
      const node = await hosts.scene.check("node-c");
      expect(node).toMatchObject({ is_proven: false, is_serving: false, health: { ok: false, failure: "not_proven" } });
    }
    expect((await hosts.scene.chat(user)).status).toBe(503);
    expect(hosts.heardByStranger()).toContain("x-svc-challenge");
    for (const spelling of spellings(strangersKey)) {
      expect(hosts.heardByStranger()).not.toContain(spelling);
    }
  });

  test("a node that is cut off in the middle of a stream ends it with an error, and is recorded as failed", async () => {
    const before = (await hosts.scene.read("node-b")).traffic.failures;
    await hosts.provider("script", {
      behaviours: [{ isEndless: true, chunkDelayMs: 30 }],
      match: { credential: nodeB.providerKey },
    });
    const answer = await hosts.scene.chat(userB, { stream: true });
    const reader = answer.body?.getReader();
    let text = Buffer.from((await reader?.read())?.value ?? []).toString();
    hosts.network.cut("node-b");
    try {
      for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
        text += Buffer.from(part.value).toString();
      }
    } catch {
      // After the error the connection may be reset, so that nobody takes the part for the whole.
    }
    expect(text).not.toContain("[DONE]");
    expect(JSON.parse(/data: (\{"error".*\})\n\n$/.exec(text)?.[1] ?? "{}").error?.code).toMatch(
      /^(stream_interrupted|upstream_timeout)$/,
    );
    await waitUntil(async () => (await hosts.scene.read("node-b")).traffic.failures > before);
    hosts.network.mend("node-b");
    expect((await hosts.scene.chatOnceServed(userB)).headers.get("x-svc-exit-node")).toBe("node-b");
    await waitUntil(async () => (await hosts.scene.rig.checkMoney()).length === 0);
  });

  test("no provider key is in the database, the logs or the traces of the control plane, or visible to clients", async () => {
    // Even when the provider quotes the key that it was sent.
    await hosts.provider("script", {
      behaviours: [{ text: `your key is ${nodeA.providerKey}` }],
      match: { credential: nodeA.providerKey },
    });
    const answer = await hosts.scene.chat(userA);
    const seen = await answer.text();
    expect([answer.status, seen]).toEqual([200, expect.stringContaining("your key is")]);
    const bodies = await storedBodies(answer.headers.get("x-request-id") ?? "");
    expect(bodies).toContain("your key is");
    const { rig, sluice } = hosts.scene;
    await waitUntil(async () => (await rig.db.sql`select 1 from trace_record where model is not null`).length > 0);
    const logs = [sluice.log(), ...[...hosts.agents.values()].map(({ program }) => program.output())];
    const everything = [await dumpDatabase(), ...logs, bodies, seen].join("\n");
    expect(everything).toContain("node-a");
    const found = keptSecret.filter((key) => spellings(key).some((spelling) => everything.includes(spelling)));
    expect(found).toEqual([]);
    // The same search finds what exists.
    expect(spellings("node-a.example.org").some((spelling) => everything.includes(spelling))).toBeTrue();
  });
});
