import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { type Notifications, notify, openNotifications } from "@sluice/control-plane/platform/db-notifications.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres/test-database.ts";

let server: TestDatabase;
let db: Database;
let notifications: Notifications;
const logged: string[] = [];

beforeAll(async () => {
  server = await createTestDatabase();
  db = openDatabase({ url: server.url, poolMax: 2, applicationName: "test" });
  notifications = openNotifications(
    server.url,
    createLog("info", (line) => logged.push(line)),
    (channel) => notify(db, channel, ""),
  );
  await notifications.connected();
});

afterAll(async () => {
  await notifications.close();
  await db.close(1_000);
  await server.drop();
});

/** Collects what arrives on a channel up to the message `end`. */
function collect(channel: string): { received: string[]; ended: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const received: string[] = [];
  notifications.listen(channel, (payload) => {
    if (payload === "end") {
      resolve();
    } else {
      received.push(payload);
    }
  });
  return { received, ended: promise };
}

test("messages arrive in the order in which they were sent, on their own channel only", async () => {
  const [odd, even] = [collect("odd"), collect("even")];
  await notifications.connected();
  for (let number = 0; number < 20; number += 1) {
    await notify(db, number % 2 === 0 ? "even" : "odd", String(number));
  }
  await Promise.all([notify(db, "odd", "end"), notify(db, "even", "end")]);
  await Promise.all([odd.ended, even.ended]);
  expect(odd.received).toEqual(["1", "3", "5", "7", "9", "11", "13", "15", "17", "19"]);
  expect(even.received).toHaveLength(10);
});

test("a message in a transaction is sent at COMMIT and not at all after a rollback", async () => {
  const channel = collect("commits");
  await notifications.connected();
  const undone = db.withTransaction(async (tx) => {
    await notify(tx, "commits", "undone");
    throw new Error("no");
  });
  await expect(undone).rejects.toThrow("no");
  await db.withTransaction((tx) => notify(tx, "commits", "done"));
  await notify(db, "commits", "end");
  await channel.ended;
  expect(channel.received).toEqual(["done"]);
});

test("a handler that throws blocks neither the others nor the next message", async () => {
  notifications.listen("shaky", () => {
    throw new Error("broken handler");
  });
  const channel = collect("shaky");
  await notifications.connected();
  await notify(db, "shaky", "first");
  await notify(db, "shaky", "end");
  await channel.ended;
  expect(channel.received).toEqual(["first"]);
  expect(logged.join("")).toContain("broken handler");
});

test("a removed handler gets no more messages", async () => {
  const heard: string[] = [];
  const stop = notifications.listen("ended", (payload) => heard.push(payload));
  const channel = collect("ended");
  await notifications.connected();
  stop();
  await notify(db, "ended", "late");
  await notify(db, "ended", "end");
  await channel.ended;
  expect(heard).toEqual([]);
});
