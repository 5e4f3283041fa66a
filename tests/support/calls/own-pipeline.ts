import type { BudgetId, GatewayUserId, RequestId } from "@sluice/contracts/ids";
import { openaiUpstream } from "@sluice/contracts/upstreams";
import { BodyRoom } from "@sluice/control-plane/gateway/body-room.ts";
import type { Catalog } from "@sluice/control-plane/gateway/catalog.ts";
import { Affinities } from "@sluice/control-plane/gateway/channels/affinities.ts";
import { ChannelLoads } from "@sluice/control-plane/gateway/channels/channel-load.ts";
import { type Channel, toUpstream } from "@sluice/control-plane/gateway/channels/model.ts";
import { KeyDirectory } from "@sluice/control-plane/gateway/keys/key-directory.ts";
import { KeyLimits } from "@sluice/control-plane/gateway/keys/key-limits.ts";
import { GatewayMetrics } from "@sluice/control-plane/gateway/metrics.ts";
import type { GatewayCall, GatewayResponse, ModelEntry, Principal } from "@sluice/control-plane/gateway/model.ts";
import { Pipeline } from "@sluice/control-plane/gateway/pipeline.ts";
import type { PipelineDeps } from "@sluice/control-plane/gateway/pipeline-deps.ts";
import { QuotaLeases } from "@sluice/control-plane/gateway/quota/leases.ts";
import { LeaseTerm } from "@sluice/control-plane/gateway/quota/term.ts";
import { ReadOnRoom } from "@sluice/control-plane/gateway/read-on.ts";
import { Authorizer } from "@sluice/control-plane/gateway/upstreams/authorize.ts";
import { CaptureAllowance } from "@sluice/control-plane/platform/answer-capture.ts";
import { isAnswerStream } from "@sluice/control-plane/platform/answer-stream.ts";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import { sha256Hex } from "@sluice/control-plane/platform/crypto/digest.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import type { RowWaiter } from "@sluice/control-plane/platform/spool/model.ts";
import type { RecordedCall, UsageRow } from "@sluice/control-plane/usage/log/model.ts";
import { viewOf } from "@sluice/http-client/packet-part";
import { PooledHttpClient } from "@sluice/http-client/pooled-client";
import { Registry } from "prom-client";
import { ampleStore } from "../leases/ample-store.ts";
import { model, principal } from "./call-ender-scene.ts";
import { abilityOf, channelOf, credentialOf } from "./channel-fixtures.ts";

const apiKey = `sk-${"b".repeat(48)}`;
const user = 1n as GatewayUserId;
const budgets = [1n, 2n, 3n] as BudgetId[];
const bodyBytesMax = 10_000;
const afterAbort = { timeoutMs: 200, bytesMax: 100_000 };

/** Methods that give something back: where one of them fails, that can't be had. Neither can time and chance. */
const givesBack = new Set(["settle", "end", "release", "withdraw"]);

/** Has one use of a part of the gateway throw. */
export class Fault {
  /** Of parts, while it is armed. */
  uses = 0;
  /** What has thrown. */
  thrower: string | null = null;
  /** Which use throws, from 0; null while none is counted. */
  #at: number | null = null;

  /** @param at from 0; none throws beyond the last */
  arm(at: number): void {
    this.#at = at;
  }

  disarm(): void {
    this.#at = null;
  }

  use(name: string): void {
    if (this.#at === null) {
      return;
    }
    this.uses += 1;
    if (this.uses === this.#at + 1) {
      this.thrower = name;
      throw new RangeError(`${name} is broken`);
    }
  }

  /** The same part, whose methods may throw. */
  of<Part extends object>(part: Part, partName: string): Part {
    const get = (target: Part, name: string | symbol): unknown => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function" || givesBack.has(String(name))) {
        return typeof value === "function" ? value.bind(target) : value;
      }
      return (...given: unknown[]) => {
        this.use(`${partName}.${String(name)}`);
        return Reflect.apply(value, target, given);
      };
    };
    return new Proxy(part, { get });
  }
}

/** What became of a call. */
export type Ended = { readonly status: number; readonly text: string; readonly isWhole: boolean };

/** A gateway in this process: keys, prices and leases in memory, and a provider at an address. */
export class OwnPipeline {
  readonly leases: QuotaLeases;
  readonly limits = new KeyLimits(systemClock, null);
  readonly loads = new ChannelLoads(systemClock, { onRefused: () => undefined, onAccepted: () => undefined });
  readonly bodyRoom = new BodyRoom({ bytesMax: bodyBytesMax, userBytesMax: bodyBytesMax });
  readonly rows: (UsageRow | RecordedCall)[] = [];
  readonly answers: GatewayResponse[] = [];
  readonly principal: Principal = {
    ...principal,
    keyBudgetId: 2n as BudgetId,
    sharedBudgetIds: [3n as BudgetId],
    concurrencyMax: 1,
  };
  readonly #channel: Channel;
  readonly #pipeline: Pipeline;

  constructor(baseUrl: string, fault: Fault) {
    const log = createLog("error", () => undefined);
    const term = new LeaseTerm(3_600_000);
    this.leases = new QuotaLeases(ampleStore(), term, systemClock, log);
    this.leases.renew(systemClock.tick(), { era: "own", isRenewed: true, live: 1 });
    this.#channel = channelAt(baseUrl);
    const client = new PooledHttpClient();
    const catalog = catalogOf(this.#channel);
    const deps: Omit<PipelineDeps, "responses" | "account" | "aside"> = {
      directory: fault.of(new KeyDirectory(async () => this.principal, systemClock), "directory"),
      limits: fault.of(this.limits, "limits"),
      bodyRoom: fault.of(this.bodyRoom, "bodyRoom"),
      readOnRoom: fault.of(new ReadOnRoom(afterAbort), "readOnRoom"),
      leases: fault.of(this.leases, "leases"),
      loads: fault.of(this.loads, "loads"),
      affinities: fault.of(new Affinities(), "affinities"),
      catalog: () => {
        fault.use("catalog");
        return catalog;
      },
      client: fault.of(client, "client"),
      authorizer: fault.of(new Authorizer(client, systemClock), "authorizer"),
      usage: {
        append: (row: UsageRow | RecordedCall, waiter: RowWaiter) => {
          this.rows.push(row);
          queueMicrotask(() => waiter.onWritten());
        },
        isAccepting: () => {
          fault.use("usage.isAccepting");
          return true;
        },
      },
      captures: fault.of(new CaptureAllowance(), "captures"),
      observer: fault.of(new GatewayMetrics(new Registry()), "observer"),
      clock: systemClock,
      random: Math.random,
      log,
      digestKey: (key) => {
        fault.use("digestKey");
        return sha256Hex(key);
      },
      hopMark: "0123456789abcdef",
      upstreamLimits: {
        ...{ connectTimeoutMs: 5_000, firstByteTimeoutMs: 5_000, firstTokenTimeoutMs: 5_000 },
        ...{ idleTimeoutMs: 5_000, totalTimeoutMs: 10_000, responseBytesMax: 2 ** 20, afterAbort },
      },
      isSentRetried: false,
      parseAside: () => Promise.reject(new Error("a small body is parsed here")),
      streamStallTimeoutMs: 5_000,
      onFirstUse: () => fault.use("onFirstUse"),
    };
    this.#pipeline = new Pipeline(deps as PipelineDeps);
  }

  /** Leases what calls need, so that none has to wait for it. */
  async lease(): Promise<void> {
    for (const budgetId of budgets) {
      await this.leases.hold(budgetId, 1);
      this.leases.settle(budgetId, 1, 0);
    }
  }

  /** Makes a call and reads its response to the end. */
  call(path: string, body: object): Promise<Ended> {
    const { promise, resolve, reject } = Promise.withResolvers<Ended>();
    const bytes = Buffer.from(JSON.stringify(body));
    const headers = new Headers({ authorization: `Bearer ${apiKey}`, "content-type": "application/json" });
    const call: GatewayCall = {
      ...{ requestId: Bun.randomUUIDv7() as RequestId, method: "POST", path, query: "", headers },
      ...{ clientIp: "127.0.0.1", signal: new AbortController().signal },
      ...{ startedAtMs: Date.now(), startedTick: systemClock.tick(), bodyBytes: bytes.length },
      readBody: () => bytes,
      onReport: () => undefined,
    };
    const onAnswer = (answer: GatewayResponse) => {
      this.answers.push(answer);
      const { status, body: sent } = answer;
      if (!isAnswerStream(sent)) {
        resolve({ status, text: sent === null ? "" : viewOf(sent).toString(), isWhole: true });
        return;
      }
      let text = "";
      const end = (isWhole: boolean) => () => resolve({ status, text, isWhole });
      const push = (piece: Uint8Array) => {
        text += Buffer.from(piece).toString();
      };
      sent.sendTo({
        ...{ waitingBytes: 0, push, flush: () => undefined, close: end(true), break: end(false) },
        pushPart: (packet, start, to) => push(packet.subarray(start, to)),
      });
      // All of it is read.
      sent.onTaken();
    };
    try {
      this.#pipeline.answer(call, { onAnswer });
    } catch (thrown) {
      reject(thrown);
    }
    return promise;
  }

  /** What calls that are over have kept. */
  get kept() {
    const held = this.leases.totals().held;
    const use = this.loads.begin(this.#channel, user);
    const inChannel = use.load.inFlight - 1;
    this.loads.release(use);
    return { held, inChannel, bodies: this.bodyRoom.bytes, ...this.#keptOfKey() };
  }

  #keptOfKey(): { readonly inKey: number } {
    try {
      this.limits.begin(this.principal);
    } catch {
      return { inKey: 1 };
    }
    this.limits.end(this.principal, 0, systemClock.tick());
    return { inKey: 0 };
  }
}

function channelAt(baseUrl: string): Channel {
  return channelOf(1, { ...toUpstream(openaiUpstream(baseUrl)), credentials: [credentialOf(1)] });
}

function catalogOf(channel: Channel): Catalog {
  const entry = { ...model, contextTokensMax: 128_000, outputTokensMax: 16_384 } as ModelEntry;
  return {
    models: new Map([[entry.name, entry]]),
    abilities: new Map([["default", new Map([[entry.name, [abilityOf(channel)]]])]]),
    permits: new Map(),
    cacheGeneration: 0n,
    fallbacks: new Map(),
  };
}
