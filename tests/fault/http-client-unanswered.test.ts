import { afterEach, beforeEach, expect, test } from "bun:test";
import { PooledHttpClient } from "@sluice/http-client/pooled-client";
import { call, failure, requestTo } from "../support/wire/http-calls.ts";

const attemptsMax = 64;
const backlogMax = 4_096;
/** What has not been answered for so long is not, however busy the machine is. */
const silentMs = 1_500;

let peer: Bun.Subprocess<"pipe", "pipe", "inherit">;
let port = 0;
const fillers: Bun.Socket[] = [];

/** Opens connections until the system no longer answers for the stopped process. */
async function fillBacklog(): Promise<void> {
  for (let opened = 0; fillers.length === opened && opened < backlogMax; opened += 50) {
    const batch = Array.from({ length: 50 }, () =>
      Bun.connect({
        hostname: "127.0.0.1",
        port,
        socket: { open: (socket) => void fillers.push(socket), data: () => undefined, connectError: () => undefined },
      }).catch(() => undefined),
    );
    await Promise.race([Promise.all(batch), Bun.sleep(silentMs)]);
  }
}

beforeEach(async () => {
  const script = Bun.fileURLToPath(new URL("../support/wire/dying-http-server.ts", import.meta.url));
  peer = Bun.spawn({ cmd: [process.execPath, script], stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  const { value } = await peer.stdout.getReader().read();
  port = Number(Buffer.from(value ?? []).toString());
  peer.kill("SIGSTOP");
  await fillBacklog();
});

afterEach(async () => {
  for (const socket of fillers.splice(0)) {
    socket.terminate();
  }
  peer.kill("SIGKILL");
  await peer.exited;
});

test("a host that does not respond costs a limited number of attempts, and is used again once it responds", async () => {
  const client = new PooledHttpClient();
  const limits = { connectTimeoutMs: 100 };
  const first = failure(client.send(requestTo({ port, limits })));
  expect(await first).toMatchObject({ kind: "connect_timeout", isRequestSent: false });
  const more = Array.from({ length: attemptsMax - 1 }, () => failure(client.send(requestTo({ port, limits }))));
  expect(new Set((await Promise.all(more)).map(({ kind }) => kind))).toEqual(new Set(["connect_timeout"]));
  expect(client.statistics).toEqual({ open: attemptsMax, idle: 0, begun: attemptsMax });

  // An attempt counts once it has had no response for a second.
  await Bun.sleep(1_000);
  const refused = await failure(client.send(requestTo({ port, limits })));
  expect(refused).toMatchObject({ kind: "unreachable", isRequestSent: false });
  expect(client.statistics.begun).toBe(attemptsMax);

  peer.kill("SIGCONT");
  while (client.statistics.idle === 0) {
    await Bun.sleep(10);
  }
  expect((await call(client, requestTo({ port, method: "POST", body: "a" }))).body).toBe("hello");
  client.close();
});
