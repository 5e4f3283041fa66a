import { afterEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Socket, TCPSocketListener } from "bun";
import type { Books, RunningArm } from "../../bench/relay/arm.ts";
import { chatCall } from "../../bench/relay/load/call.ts";
import { runClient } from "../../bench/relay/load/client.ts";
import type { LoadPlan, LoadResult } from "../../bench/relay/load/plan.ts";
import { FakeProvider } from "../../bench/relay/load/provider.ts";
import { runWrk } from "../../bench/relay/load/wrk.ts";
import { measure } from "../../bench/relay/measure.ts";
import {
  cpuMsOfTree,
  cpuOfThreads,
  firstThread,
  peakMemoryMbOfTree,
  resetPeakMemoryOfTree,
} from "../../bench/relay/process-cost.ts";
import { type Scenario, scenarios } from "../../bench/relay/scenarios.ts";
import { verifyAnswers } from "../../bench/relay/verify.ts";
import { testUnless, unlessInstalled, unlessLinux } from "../../support/service/obstacles.ts";
import { patienceMs } from "../../support/values/patience.ts";

const cleanups: (() => void)[] = [];

afterEach(() => {
  for (const cleanup of cleanups.splice(0)) {
    cleanup();
  }
});

function startProvider(): FakeProvider {
  const provider = new FakeProvider();
  cleanups.push(() => provider.stop());
  return provider;
}

/** What a faulty gateway does with the bytes that come back; null cuts the connection. */
type Edit = (bytes: Buffer, socket: Socket<Side>) => Buffer | null;
type Side = { upstream: Promise<Socket<undefined>> };

/** A gateway that forwards everything and modifies the responses. */
function startGateway(provider: FakeProvider, edit: Edit): TCPSocketListener<Side> {
  const server = Bun.listen<Side>({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open(client) {
        const data = (_: unknown, bytes: Buffer) => {
          const edited = edit(bytes, client);
          if (edited === null) {
            client.end();
          } else {
            client.write(edited);
          }
        };
        const upstream = Bun.connect({ hostname: "127.0.0.1", port: provider.port, socket: { data } });
        client.data = { upstream };
      },
      async data(client, bytes) {
        (await client.data.upstream).write(Buffer.from(bytes));
      },
      async close(client) {
        (await client.data.upstream).end();
      },
    },
  });
  cleanups.push(() => server.stop(true));
  return server;
}

function replaceIn(from: string, to: string): Edit {
  return (bytes) => Buffer.from(bytes.toString("latin1").replace(from, to), "latin1");
}

function arm(port: number) {
  return { port, path: "/v1/chat/completions", headers: [["Content-Type", "application/json"]] as const };
}

function plan(port: number, changes: Partial<LoadPlan> = {}): LoadPlan {
  const whole = {
    call: chatCall,
    isStream: false,
    connections: 4,
    warmupMs: 0,
    durationMs: 150,
    staggerMs: 0,
    ...changes,
  };
  return { ...arm(port), ...whole };
}

/** Runs for twice as long each time until something falls into the measured window, which a busy machine may fill with nothing. */
async function runUntilMeasured(run: (durationMs: number) => Promise<LoadResult>): Promise<LoadResult> {
  for (let durationMs = 150; durationMs < patienceMs; durationMs *= 2) {
    try {
      return await run(durationMs);
    } catch (error) {
      if (!String(error).includes("no sample fell into the measured window")) {
        throw error;
      }
    }
  }
  throw new Error("nothing was ever measured");
}

/** Until the first failure, which ends the run. */
const untilFailure = { durationMs: patienceMs };

describe("an arm is only measured when it responds like the provider", () => {
  test("the provider itself and a gateway that changes nothing pass", async () => {
    const provider = startProvider();
    const gateway = startGateway(provider, (bytes) => bytes);
    await verifyAnswers(arm(provider.port), provider.answers);
    await verifyAnswers(arm(gateway.port), provider.answers);
  });

  test.each([
    [
      "one byte of the response",
      '"prompt_tokens":410,"completion_tokens":96',
      '"prompt_tokens":410,"completion_tokens":97',
    ],
    ["one byte of a stream", '"content":" bytes"', '"content":" bytez"'],
    [
      "the order of a stream",
      '"role":"assistant","content":"","refusal":null',
      '"content":"","role":"assistant","refusal":null',
    ],
    ["the content type", "text/event-stream", "text/event-strean"],
    ["the status", "HTTP/1.1 200", "HTTP/1.1 203"],
  ])("a gateway that changes %s is refused", async (_, from, to) => {
    const provider = startProvider();
    const gateway = startGateway(provider, replaceIn(from, to));
    await expect(verifyAnswers(arm(gateway.port), provider.answers)).rejects.toThrow(/differs|content type|status/);
  });
});

describe("a failed call makes the run void", () => {
  test("our client counts exactly the calls that the provider answered", async () => {
    const provider = startProvider();
    const { counters } = provider;
    let before = 0;
    const json = await runUntilMeasured((durationMs) => {
      before = counters.jsonAnswers;
      return runClient(plan(provider.port, { durationMs }));
    });
    expect(json.answered).toBeGreaterThan(0);
    expect(json.answered).toBe(counters.jsonAnswers - before);
    const streams = await runUntilMeasured((durationMs) => {
      before = counters.streams;
      return runClient(plan(provider.port, { isStream: true, durationMs }));
    });
    expect(streams.answered).toBe(counters.streams - before);
    expect(streams.stream?.chunks).toBe(50 * (counters.streams - before));
  });

  test("our client refuses a status other than 2xx that comes once in a while", async () => {
    const provider = startProvider();
    let count = 0;
    const gateway = startGateway(provider, (bytes) => {
      count += 1;
      return count === 40 ? Buffer.from(bytes.toString("latin1").replace("200 OK", "503 No"), "latin1") : bytes;
    });
    await expect(runClient(plan(gateway.port, untilFailure))).rejects.toThrow("503 No");
  });

  test("our client refuses a response of another length", async () => {
    const provider = startProvider();
    const shorter = (bytes: Buffer) =>
      Buffer.from(bytes.toString("latin1").replace("content-length: 1069", "content-length: 1068"), "latin1");
    const gateway = startGateway(provider, shorter);
    await expect(runClient(plan(gateway.port, untilFailure))).rejects.toThrow("1068 bytes instead of 1069");
  });

  test("our client refuses a stream that is cut", async () => {
    const provider = startProvider();
    provider.setPace(1000);
    const cutAtTheEnd: Edit = (bytes) => (bytes.includes("[DONE]") ? null : bytes);
    const gateway = startGateway(provider, cutAtTheEnd);
    const cut = runClient(plan(gateway.port, { isStream: true, connections: 1, ...untilFailure }));
    await expect(cut).rejects.toThrow("closed before the answer was whole");
  });

  testUnless(unlessInstalled("wrk", "taskset"), "wrk's run is void when a single answer is not 2xx", async () => {
    const provider = startProvider();
    const folder = mkdtempSync(join(tmpdir(), "sluice-bench-test-"));
    cleanups.push(() => rmSync(folder, { recursive: true }));
    let count = 0;
    const gateway = startGateway(provider, (bytes) => {
      count += 1;
      // Early: wrk runs for as long as it is told, and a busy machine may not make many calls in that time.
      return count === 2 ? Buffer.from(bytes.toString("latin1").replace("200 OK", "503 No"), "latin1") : bytes;
    });
    const place = { folder, core: 0 };
    await expect(runWrk(plan(gateway.port, { durationMs: 1000 }), place)).rejects.toThrow("1 answers without 2xx");
    expect((await runWrk(plan(gateway.port, { durationMs: 1000 }), place)).answered).toBeGreaterThan(0);
  });
});

describe("latency and cost are visible", () => {
  test("a gateway that holds every packet back shows in the first byte and in every chunk", async () => {
    const provider = startProvider();
    provider.setPace(2000);
    const gateway = startGateway(provider, (bytes, socket) => {
      const kept = Buffer.from(bytes);
      setTimeout(() => socket.write(kept), 20);
      return Buffer.alloc(0);
    });
    const changes = { isStream: true, connections: 2, staggerMs: 10 };
    const { latencyMs, stream } = await runUntilMeasured((durationMs) =>
      runClient(plan(gateway.port, { ...changes, durationMs })),
    );
    expect(latencyMs.p50).toBeGreaterThanOrEqual(19);
    expect(stream?.chunkLatencyMs.p50).toBeGreaterThanOrEqual(19);
  });

  test("a gateway that lets only some calls through at a time never has all streams open", async () => {
    const provider = startProvider();
    const { counters } = provider;
    /** Streams are twice as long each time, until they are all open at a time: a busy machine may begin them one after the other. */
    const openMax = async (connections: number): Promise<number> => {
      for (let paceMicroseconds = 1_000; paceMicroseconds < 100_000; paceMicroseconds *= 2) {
        provider.setPace(paceMicroseconds);
        await runUntilMeasured((durationMs) =>
          runClient(plan(provider.port, { isStream: true, connections, durationMs })),
        );
        if (counters.streamsOpenMax >= connections) {
          break;
        }
      }
      return counters.streamsOpenMax;
    };
    expect([await openMax(8), await openMax(3)]).toEqual([8, 3]);
  });

  testUnless(unlessLinux, "what a database does for the bench is not charged to the arm", async () => {
    const provider = startProvider();
    const burn = `process.on("SIGUSR2", () => { let sum = 0; for (let step = 0; step < 4e8; step++) sum += step % 7;
      console.log(sum); });
      console.log(process.pid); setInterval(() => {}, 1e6);`;
    const script = `Bun.spawn([process.execPath, "-e", ${JSON.stringify(burn)}], { stdout: "inherit" }); setInterval(() => {}, 1e6);`;
    const database = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe" });
    const output = database.stdout.getReader();
    const readerPid = Number(new TextDecoder().decode((await output.read()).value));
    cleanups.push(() => {
      process.kill(readerPid, "SIGKILL");
      database.kill("SIGKILL");
    });
    const counts = { usageRows: 0, traceRecords: 0, payloadsStored: 0, payloadsDropped: 0 };
    const books: Books = {
      readerPid,
      open: async () => undefined,
      drain: async () => {
        process.kill(readerPid, "SIGUSR2");
        await output.read();
      },
      close: async () => counts,
    };
    const companions = [{ name: "database", pid: database.pid }];
    const running: RunningArm = { ...arm(provider.port), pid: null, companions, books, stop: async () => undefined };
    const [scenario] = scenarios as [Scenario];
    const site = { providerPort: provider.port, folder: "", profileFolder: null, against: null, binaries: {} };
    const { companionCpuMs } = await measure(running, { site, provider, scenario, seconds: 0.1, jsonLoad: "bun" });
    const readerMs = cpuMsOfTree(readerPid);
    expect(readerMs).toBeGreaterThan(200);
    expect(companionCpuMs["database"]).toBeLessThan(readerMs / 4);
  });

  testUnless(unlessLinux, "the CPU time of children is charged, of ended ones too", async () => {
    const burn = "while (process.cpuUsage().user < 2e5);";
    const script = `Bun.spawnSync([process.execPath, "-e", ${JSON.stringify(burn)}]); console.log("done"); setInterval(() => {}, 1e6);`;
    const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe" });
    cleanups.push(() => child.kill("SIGKILL"));
    await child.stdout.getReader().read();
    expect(cpuMsOfTree(child.pid)).toBeGreaterThan(100);
    expect(cpuMsOfTree(process.pid)).toBeGreaterThanOrEqual(cpuMsOfTree(child.pid));
  });

  testUnless(unlessLinux, "the CPU time of a thread is charged to it, and not to the first one", async () => {
    const burn = `let sum = 0; for (let step = 0; step < 4e8; step++) sum += step % 7;
      postMessage(sum); setInterval(() => {}, 1e6);`;
    const script = `const worker = new Worker(URL.createObjectURL(new Blob([${JSON.stringify(burn)}])));
      worker.onmessage = () => console.log("done");`;
    const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe" });
    cleanups.push(() => child.kill("SIGKILL"));
    await child.stdout.getReader().read();
    const { [firstThread]: first, ...others } = cpuOfThreads(child.pid);
    const largest = Math.max(...Object.values(others).map(({ userMs }) => userMs));
    expect(largest).toBeGreaterThan(first?.userMs ?? Number.POSITIVE_INFINITY);
    expect(largest).toBeLessThanOrEqual(cpuMsOfTree(child.pid));
  });

  testUnless(unlessLinux, "the peak of memory starts over after a reset", async () => {
    const script = `{ const block = new Uint8Array(2e8).fill(1); console.log(block.length); }
      Bun.gc(true); console.log("free"); setInterval(() => Bun.gc(true), 20);`;
    const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe" });
    cleanups.push(() => child.kill("SIGKILL"));
    const reader = child.stdout.getReader();
    while (!new TextDecoder().decode((await reader.read()).value).includes("free")) {
      // The first line may come alone.
    }
    const peakMb = peakMemoryMbOfTree(child.pid);
    expect(peakMb).toBeGreaterThan(200);
    const deadline = Date.now() + patienceMs;
    do {
      resetPeakMemoryOfTree(child.pid);
      await Bun.sleep(20);
    } while (peakMemoryMbOfTree(child.pid) > peakMb - 100 && Date.now() < deadline);
    expect(peakMemoryMbOfTree(child.pid)).toBeLessThan(peakMb - 100);
  });
});
