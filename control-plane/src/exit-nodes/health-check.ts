import { type Challenge, isProofValid, signChallenge } from "@sluice/exit-protocol/challenge";
import { challengeHeader, exitNodeHeader, proofHeader } from "@sluice/exit-protocol/headers";
import { type DetailedHealthResponse, detailedHealthResponse } from "@sluice/exit-protocol/health";
import { relayKeyFault } from "@sluice/exit-protocol/relay-key";
import {
  type HttpClient,
  HttpClientError,
  type HttpClientErrorKind,
  type HttpHeader,
  type HttpResponse,
} from "@sluice/http-client/model";
import type { HealthFailure, HealthResult, NodeReport } from "./model.ts";

const answerBytesMax = 64 * 1024;

export type HealthDeps = {
  readonly http: HttpClient;
  /** The limit for the whole check: connection, challenge, and the response to the key. */
  readonly timeoutMs: number;
  readonly now: () => Date;
  readonly isAddressAllowed: (address: string) => boolean;
};

export type HealthTarget = {
  readonly nodeCode: string;
  /** The origin to check, or null while there is none. */
  readonly url: string | null;
  /** Connections go to this address, whatever the URL's name resolves to. */
  readonly address: string;
  readonly relayKey: string | null;
};

type Answer = { readonly status: number; readonly headers: readonly HttpHeader[]; readonly body: string };
type Verdict = {
  readonly status: number | null;
  readonly failure: HealthFailure | null;
  readonly report: NodeReport | null;
};

const failureOfKind: Readonly<Record<HttpClientErrorKind, HealthFailure>> = {
  no_connection: "unreachable",
  unreachable: "unreachable",
  tls: "tls",
  connect_timeout: "timeout",
  first_byte_timeout: "timeout",
  upload_timeout: "timeout",
  idle_timeout: "timeout",
  total_timeout: "timeout",
  aborted: "timeout",
  reset_before_head: "unreachable",
  reset_in_body: "unreachable",
  malformed: "malformed",
  too_large: "too_large",
  request_too_large: "too_large",
};

class ProbeFailure extends Error {
  readonly verdict: Verdict;

  constructor(failure: HealthFailure, status: number | null) {
    super(failure);
    this.verdict = { status, failure, report: null };
  }
}

/**
 * Checks a node's health. The first step is a challenge, which does not reveal the relay key. Only a server that proves
 * that it holds the key gets the key itself at the same address, as calls will send it. Never throws: every failure is
 * a result.
 */
export async function checkHealth(target: HealthTarget, deps: HealthDeps): Promise<HealthResult> {
  const startedTick = performance.now();
  const verdict = await probe(target, deps);
  const isAsked = verdict.status !== null || verdict.failure === "timeout";
  return {
    url: target.url,
    httpStatus: verdict.status,
    ok: verdict.failure === null,
    latencyMs: isAsked ? Math.round(performance.now() - startedTick) : null,
    failure: verdict.failure,
    report: verdict.report,
    checkedAt: deps.now(),
  };
}

async function probe(target: HealthTarget, deps: HealthDeps): Promise<Verdict> {
  const { url, relayKey, address } = target;
  if (url === null || relayKey === null || relayKeyFault(relayKey) !== null) {
    return { status: null, failure: url === null ? "no_relay_url" : "no_relay_key", report: null };
  }
  if (!deps.isAddressAllowed(address)) {
    return { status: null, failure: "address_not_allowed", report: null };
  }
  const deadline = AbortSignal.timeout(deps.timeoutMs);
  try {
    const reported = await askByChallenge({ ...target, url, relayKey }, deps, deadline);
    if (reported.verdict.failure === null) {
      const headers: HttpHeader[] = [["authorization", `Bearer ${relayKey}`]];
      const answer = await ask(url, address, { headers, signal: deadline }, deps);
      return { ...reported.verdict, ...judgeKeyAnswer(answer) };
    }
    return reported.verdict;
  } catch (error) {
    if (error instanceof ProbeFailure) {
      return error.verdict;
    }
    throw error;
  }
}

type KnownTarget = HealthTarget & { readonly url: string; readonly relayKey: string };

async function askByChallenge(
  { nodeCode, url, address, relayKey }: KnownTarget,
  deps: HealthDeps,
  signal: AbortSignal,
): Promise<{ readonly verdict: Verdict }> {
  const challenge: Challenge = {
    nodeCode,
    audience: new URL(url).host,
    issuedAtMs: deps.now().getTime(),
    nonce: Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("base64url"),
  };
  const headers: HttpHeader[] = [[challengeHeader, signChallenge(relayKey, challenge)]];
  const answer = await ask(url, address, { headers, signal }, deps);
  const { status, body } = answer;
  checkStatus(answer);
  if (!isProofValid(relayKey, challenge, body, headerOf(answer, proofHeader) ?? "")) {
    // A server in front of a node may say that the node is down. Only a successful response without a proof comes from
    // an impostor.
    throw new ProbeFailure(status === 200 ? "not_proven" : "http_status", status);
  }
  const reported = readDetails(body);
  if (reported === null) {
    throw new ProbeFailure("malformed", status);
  }
  if (reported.node !== nodeCode || headerOf(answer, exitNodeHeader) !== nodeCode) {
    throw new ProbeFailure("wrong_node", status);
  }
  const isWell = status === 200 && reported.ok;
  return { verdict: { status, failure: isWell ? null : "not_ok", report: toReport(reported, deps.now()) } };
}

/** @throws ProbeFailure for an unexpected status */
function checkStatus({ status, body }: Answer): void {
  if (status >= 300 && status < 400) {
    throw new ProbeFailure("redirected", status);
  }
  if (status === 401) {
    throw new ProbeFailure(body.includes('"stale_challenge"') ? "clock_skew" : "unauthorized", status);
  }
  if (status !== 200 && status !== 503) {
    throw new ProbeFailure("http_status", status);
  }
}

/** The verdict on the response to the key, after the challenge was passed. */
function judgeKeyAnswer({ status, body }: Answer): Partial<Verdict> {
  if (status === 401 || status === 400) {
    return { status, failure: "unauthorized" };
  }
  const reported = readDetails(body);
  if (status !== 200 || reported === null) {
    return { status, failure: status >= 300 && status < 400 ? "redirected" : "http_status" };
  }
  return reported.ok ? {} : { status, failure: "not_ok" };
}

async function ask(
  url: string,
  address: string,
  what: { readonly headers: readonly HttpHeader[]; readonly signal: AbortSignal },
  { http, timeoutMs }: HealthDeps,
): Promise<Answer> {
  const { protocol, hostname, port } = new URL(url);
  let response: HttpResponse | null = null;
  try {
    response = await http.send({
      protocol: protocol === "http:" ? "http:" : "https:",
      hostname: hostname.replace(/^\[(.*)\]$/, "$1"),
      port: port === "" ? (protocol === "https:" ? 443 : 80) : Number(port),
      address,
      method: "GET",
      target: "/health",
      headers: [...what.headers, ["accept", "application/json"], ["user-agent", "sluice"]],
      body: null,
      signal: what.signal,
      limits: {
        connectTimeoutMs: timeoutMs,
        firstByteTimeoutMs: timeoutMs,
        idleTimeoutMs: timeoutMs,
        totalTimeoutMs: timeoutMs,
        responseBytesMax: answerBytesMax,
      },
    });
    const body = Buffer.from(await response.body.bytes(answerBytesMax)).toString("utf8");
    return { status: response.status, headers: response.headers, body };
  } catch (error) {
    if (error instanceof HttpClientError) {
      throw new ProbeFailure(failureOfKind[error.kind], response?.status ?? null);
    }
    throw error;
  }
}

function headerOf({ headers }: Answer, name: string): string | null {
  return headers.find(([candidate]) => candidate === name)?.[1] ?? null;
}

function readDetails(body: string): DetailedHealthResponse | null {
  try {
    return detailedHealthResponse.parse(JSON.parse(body));
  } catch {
    return null;
  }
}

const wordsMax = 64;
const accountsMax = 50;
/** A node may report anything, but the database accepts neither zero bytes nor unpaired surrogates. */
const word = (text: string) => text.slice(0, wordsMax).replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, "");
const wordOrNull = (text: string | null) => (text === null ? null : word(text));

function toReport(reported: DetailedHealthResponse, now: Date): NodeReport {
  return {
    version: word(reported.version),
    uptime_seconds: Math.round(reported.uptimeSeconds),
    in_flight: reported.load.inFlight,
    clock_offset_ms: reported.clock.epochMs - now.getTime(),
    egress_address: wordOrNull(reported.egressAddress.bound ?? reported.egressAddress.seen),
    accounts: reported.accounts.slice(0, accountsMax).map(({ accountCode, provider, authType, status }) => ({
      account: word(accountCode),
      provider: word(provider),
      auth_type: authType,
      status,
    })),
  };
}
