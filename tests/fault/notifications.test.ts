import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Notifications, openNotifications } from "@sluice/control-plane/platform/db-notifications.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import { waitUntil } from "../support/calls/relay-scene.ts";
import { startPostgresProxy } from "../support/postgres/postgres-proxy.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres/test-database.ts";
import { promptMs } from "../support/values/patience.ts";
import { testRandom } from "../support/values/test-seed.ts";

const random = testRandom();
const { TEST_FULL } = process.env;
const kills = TEST_FULL === "1" ? 100 : 15;

let server: TestDatabase;
let admin: Bun.SQL;
const uncaught: unknown[] = [];
const noteUncaught = (error: unknown): void => {
  uncaught.push(error);
};

beforeAll(async () => {
  process.on("uncaughtException", noteUncaught);
  process.on("unhandledRejection", noteUncaught);
  server = await createTestDatabase();
  admin = new Bun.SQL(server.url, { max: 1 });
});

afterAll(async () => {
  await admin.close({ timeout: 0 });
  await server.drop();
  process.off("uncaughtException", noteUncaught);
  process.off("unhandledRejection", noteUncaught);
});

let echoes = 0;

/** A listener that records its messages; `heard` resolves with the next expected message. */
function listenOn(url: string) {
  const notifications = openNotifications(
    url,
    createLog("error", () => undefined),
    (channel) => {
      echoes += 1;
      return admin.notify(channel);
    },
  );
  const waiting = new Map<string, () => void>();
  const messages: string[] = [];
  notifications.listen("news", (payload) => {
    messages.push(payload);
    waiting.get(payload)?.();
  });
  const heard = async (payload: string): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.set(payload, resolve);
    if (!messages.includes(payload)) {
      await promise;
    }
  };
  return { notifications, messages, heard, [Symbol.asyncDispose]: () => notifications.close() };
}

function nextGap(notifications: Notifications): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = notifications.onGap(() => {
    stop();
    resolve();
  });
  return promise;
}

async function killListeners(): Promise<void> {
  await admin`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'sluice notifications'`;
}

async function listenerCount(): Promise<number> {
  const rows = await admin`select 1 from pg_stat_activity
    where datname = current_database() and application_name = 'sluice notifications'`;
  return rows.length;
}

describe("listening", () => {
  test(`survives ${kills} kills of its connection, and reports after each that messages were missed`, async () => {
    await using listener = listenOn(server.url);
    const { notifications } = listener;
    await notifications.connected();
    for (let round = 0; round < kills; round += 1) {
      const gap = nextGap(notifications);
      // Some kills hit a connection that has just come back.
      await Bun.sleep(round % 3 === 0 ? random() * 10 : 0);
      await killListeners();
      await gap;
      expect(notifications.isConnected()).toBe(true);
      await admin`select pg_notify('news', ${`after kill ${round}`})`;
      await listener.heard(`after kill ${round}`);
    }
    expect(new Set(listener.messages).size).toBe(listener.messages.length);
    expect(uncaught).toEqual([]);
  });

  test("does not restart when it is closed during a reconnect", async () => {
    const { notifications } = listenOn(server.url);
    await notifications.connected();
    await killListeners();
    await notifications.close();
    expect(notifications.isConnected()).toBe(false);
    // The one that was killed ends when it gets to it.
    await waitUntil(async () => (await listenerCount()) === 0);
    await Bun.sleep(300);
    expect(await listenerCount()).toBe(0);
  });

  test("notices a connection that went silent and replaces it", async () => {
    await using proxy = await startPostgresProxy(server.url);
    await using listener = listenOn(proxy.url);
    await listener.notifications.connected();
    // From its first message to itself on, no time limit of a connect can help.
    for (const before = echoes; echoes === before; ) {
      await Bun.sleep(50);
    }
    expect(await listenerCount()).toBe(1);
    const gap = nextGap(listener.notifications);
    const silentAt = performance.now();
    proxy.stall();
    while (listener.notifications.isConnected()) {
      await Bun.sleep(20);
    }
    // It asks every two seconds and waits for two. The system itself would notice after a quarter of an hour.
    expect(performance.now() - silentAt).toBeLessThan(4_000 + promptMs);
    proxy.resume();
    await gap;
    await admin`select pg_notify('news', 'after the silence')`;
    await listener.heard("after the silence");
    expect(uncaught).toEqual([]);
  });

  test("starts automatically when the database was unreachable at the start", async () => {
    await using proxy = await startPostgresProxy(server.url);
    proxy.stall();
    await using listener = listenOn(proxy.url);
    await Bun.sleep(200);
    expect(listener.notifications.isConnected()).toBe(false);
    proxy.resume();
    await listener.notifications.connected();
    await admin`select pg_notify('news', 'hello')`;
    await listener.heard("hello");
  });
});
