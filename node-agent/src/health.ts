import { loadavg } from "node:os";
import { type Challenge, isSignedBy, NonceMemory, parseChallenge, signProof } from "@sluice/exit-protocol/challenge";
import { challengeHeader, proofHeader } from "@sluice/exit-protocol/headers";
import type { DetailedHealthResponse, HealthResponse } from "@sluice/exit-protocol/health";
import type { PooledHttpClient } from "@sluice/http-client/pooled-client";
import type { AccountStates } from "./account-states.ts";
import { authorizeRelayKey, type RelayKeyVerdict } from "./authorize-relay-key.ts";
import type { Config } from "./config.ts";
import type { Metrics } from "./metrics.ts";
import type { Secrets } from "./secrets.ts";
import { version } from "./version.ts";

export type HealthPorts = {
  readonly config: Config;
  readonly secrets: () => Secrets;
  readonly states: AccountStates;
  readonly metrics: Metrics;
  readonly client: PooledHttpClient;
  readonly isDraining: () => boolean;
  readonly now: () => Date;
};

export type HealthReply =
  | { readonly kind: "answer"; readonly status: number; readonly body: string; readonly proof: string | null }
  | { readonly kind: "refused"; readonly code: Exclude<RelayKeyVerdict, "accepted" | "none"> | "stale_challenge" };

/** No control plane sends more challenges than this within two minutes. */
const noncesMax = 10_000;

/** Reports whether the node can serve, and more to those who send the relay key or prove that they have it. */
export class Health {
  readonly #ports: HealthPorts;
  readonly #startedAt: Date;
  readonly #nonces = new NonceMemory(noncesMax);

  constructor(ports: HealthPorts) {
    this.#ports = ports;
    this.#startedAt = ports.now();
  }

  answer(headers: Headers): HealthReply {
    const sent = headers.get(challengeHeader);
    if (sent !== null) {
      return this.#answerChallenge(sent, headers.get("host") ?? "");
    }
    const verdict = authorizeRelayKey(headers, this.#ports.secrets().ring);
    if (verdict === "none") {
      return this.#reply({ ok: this.#isOk() }, null);
    }
    return verdict === "accepted" ? this.#reply(this.#details(), null) : { kind: "refused", code: verdict };
  }

  get uptimeSeconds(): number {
    return (this.#ports.now().getTime() - this.#startedAt.getTime()) / 1000;
  }

  /** The signature is checked before the nonce is stored, so that strangers can't fill the memory. */
  #answerChallenge(text: string, audience: string): HealthReply {
    const { config, secrets, metrics, now } = this.#ports;
    const received = parseChallenge(text);
    const isOurs = config.publicHosts.length === 0 || config.publicHosts.includes(audience.toLowerCase());
    if (received === null || !isOurs) {
      return { kind: "refused", code: "unauthorized" };
    }
    const target = { nodeCode: config.nodeCode, audience };
    const { relayKeys, fingerprints } = secrets();
    const place = relayKeys.findIndex((key) => isSignedBy(key, received, target));
    const relayKey = relayKeys[place];
    if (relayKey === undefined) {
      return { kind: "refused", code: "unauthorized" };
    }
    if (!this.#nonces.take(received, now().getTime())) {
      return { kind: "refused", code: "stale_challenge" };
    }
    metrics.countKeyUse(fingerprints[place] ?? "", performance.now());
    const challenge: Challenge = { ...target, issuedAtMs: received.issuedAtMs, nonce: received.nonce };
    return this.#reply(this.#details(), (body) => signProof(relayKey, challenge, body));
  }

  #isOk(): boolean {
    return !this.#ports.isDraining() && this.#ports.secrets().accounts.some(({ kind }) => kind === "active");
  }

  #details(): DetailedHealthResponse {
    const { config, secrets, states, metrics, client, now } = this.#ports;
    const time = now();
    return {
      ok: this.#isOk(),
      node: config.nodeCode,
      version,
      startedAt: this.#startedAt.toISOString(),
      uptimeSeconds: this.uptimeSeconds,
      clock: { time: time.toISOString(), epochMs: time.getTime() },
      load: {
        inFlight: metrics.inFlight,
        cpuPerMinute: loadavg()[0] ?? 0,
        residentBytes: process.memoryUsage.rss(),
      },
      accounts: states.describe(secrets().accounts),
      egressAddress: { bound: config.egressAddress, seen: client.seenLocalAddress },
    };
  }

  #reply(answer: HealthResponse, prove: ((body: string) => string) | null): HealthReply {
    const body = JSON.stringify(answer);
    return { kind: "answer", status: answer.ok ? 200 : 503, body, proof: prove === null ? null : prove(body) };
  }
}

/** The headers of a health response. */
export function healthHeaders(proof: string | null): Record<string, string> {
  const headers: Record<string, string> = { "content-type": "application/json", "cache-control": "no-store" };
  if (proof !== null) {
    headers[proofHeader] = proof;
  }
  return headers;
}
