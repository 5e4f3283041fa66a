import type { ChannelTest } from "@sluice/contracts/catalog-admin";
import type { ChannelId } from "@sluice/contracts/ids";
import { type HttpClient, HttpClientError, type HttpResponse } from "@sluice/http-client/model";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/db.ts";
import { AppError } from "../../platform/errors.ts";
import { redact } from "../../platform/log.ts";
import { Semaphore, SemaphoreFullError } from "../../platform/semaphore.ts";
import { toUpstream } from "../channels/model.ts";
import { credentialHeader } from "../upstreams/credential-header.ts";
import { type ChannelEntry, findChannel, findServedModel } from "./catalog-admin-store.ts";

export type ChannelTestDeps = {
  readonly db: Database;
  readonly clock: Clock;
  /** Opens the client when the first channel is tested. */
  readonly openClient: () => Promise<HttpClient>;
  readonly openCredential: (id: ChannelId, sealed: Uint8Array) => string;
};

const limits = {
  connectTimeoutMs: 5_000,
  firstByteTimeoutMs: 20_000,
  idleTimeoutMs: 10_000,
  // This timeout is shorter than the server's idle timeout for a connection.
  totalTimeoutMs: 25_000,
  responseBytesMax: 256 * 1024,
};
const errorLengthMax = 500;
const textLengthMax = 200;
const retryAfterSeconds = 5;
/** This is enough for models that think before they answer, and so little that the cost is negligible. */
const answerTokensMax = 64;

type Answer = {
  readonly error?: { readonly message?: unknown } | string;
  readonly model?: unknown;
  readonly choices?: readonly { readonly message?: { readonly content?: unknown } }[];
  readonly usage?: { readonly prompt_tokens?: unknown; readonly completion_tokens?: unknown };
};

/** Sends a channel one small call of our own, bypassing everything that users' calls go through. Nobody is charged. */
export class ChannelTests {
  readonly #deps: ChannelTestDeps;
  readonly #semaphore = new Semaphore({ runningMax: 4, waitingMax: 0, waitMsMax: 1 });
  #client: Promise<HttpClient> | null = null;

  constructor(deps: ChannelTestDeps) {
    this.#deps = deps;
  }

  /**
   * How a channel responds to a small chat.
   * @param model null: the first model that it serves
   * @throws AppError `not_found`, `invalid_value` without a model or a usable channel, `too_many_attempts`
   */
  async run(id: bigint, model: string | null): Promise<ChannelTest> {
    const channel = await findChannel(this.#deps.db, id as ChannelId);
    if (channel === null) {
      throw new AppError("not_found", { message: "There is no such channel." });
    }
    const served = await findServedModel(this.#deps.db, channel.id, model);
    const asked = served?.upstreamModel ?? served?.model ?? model;
    if (asked === null) {
      throw new AppError("invalid_value", {
        fields: { model: "This channel serves no model yet: name the one to test." },
      });
    }
    try {
      return await this.#semaphore.run(() => this.#ask(channel, asked));
    } catch (error) {
      if (error instanceof SemaphoreFullError) {
        throw new AppError("too_many_attempts", { message: "Four tests are already running.", retryAfterSeconds });
      }
      throw error;
    }
  }

  async #ask(channel: ChannelEntry, model: string): Promise<ChannelTest> {
    const credential = this.#credentialOf(channel);
    const beginTick = this.#deps.clock.tick();
    const { status, answer, problem } = await this.#exchange(channel, credential, model);
    const clean = (text: string, lengthMax: number): string =>
      redact(credential === null ? text : text.replaceAll(credential, "[redacted]")).slice(0, lengthMax);
    const content = answer?.choices?.[0]?.message?.content;
    const isOk = problem === null && status !== null && status >= 200 && status < 300 && content !== undefined;
    const message = problem ?? errorIn(answer) ?? `The upstream sent status ${status} and no chat completion.`;
    return {
      channel_id: Number(channel.id),
      model,
      is_ok: isOk,
      http_status: status,
      latency_ms: Math.round(this.#deps.clock.tick() - beginTick),
      error: isOk ? null : clean(message, errorLengthMax),
      answered_model: typeof answer?.model === "string" ? clean(answer.model, textLengthMax) : null,
      text: typeof content === "string" ? clean(content, textLengthMax) : null,
      input_tokens: countIn(answer?.usage?.prompt_tokens),
      output_tokens: countIn(answer?.usage?.completion_tokens),
    };
  }

  #credentialOf({ id, credentialSealed }: ChannelEntry): string | null {
    try {
      return credentialSealed === null ? null : this.#deps.openCredential(id, credentialSealed);
    } catch (error) {
      const message = "The credential of this channel can't be decrypted. Enter it again.";
      throw new AppError("conflict", { message, cause: error });
    }
  }

  async #exchange(
    channel: ChannelEntry,
    credential: string | null,
    model: string,
  ): Promise<{ readonly status: number | null; readonly answer: Answer | null; readonly problem: string | null }> {
    let status: number | null = null;
    try {
      this.#client ??= this.#deps.openClient();
      const client = await this.#client;
      const response = await client.send(requestTo(channel, credential, model));
      ({ status } = response);
      return { status, ...(await readAnswer(response)) };
    } catch (error) {
      if (error instanceof HttpClientError) {
        return { status, answer: null, problem: `${error.kind}: ${error.message}` };
      }
      throw error;
    }
  }
}

function requestTo(channel: ChannelEntry, credential: string | null, model: string) {
  const { endpoints, changes } = toUpstream(channel.upstream);
  const endpoint = endpoints.get("chat");
  if (endpoint === undefined) {
    throw new AppError("conflict", { message: "This channel has no address for chat completions." });
  }
  const { basePath, auth, ...server } = endpoint;
  const shown = credentialHeader(auth, credential);
  const body = {
    model,
    messages: [{ role: "user", content: "Answer with the word OK." }],
    max_tokens: answerTokensMax,
  };
  return {
    ...server,
    ...(channel.pinnedAddress === null ? {} : { address: channel.pinnedAddress }),
    method: "POST",
    target: `${basePath}/chat/completions${changes.query === "" ? "" : `?${changes.query}`}`,
    headers: [
      ["content-type", "application/json"],
      ...(shown === null ? [] : [shown]),
      ...changes.headersSet,
      ["accept", "application/json"],
      ["accept-encoding", "identity"],
      ["user-agent", "sluice"],
    ] as const,
    body: Buffer.from(JSON.stringify(body)),
    signal: AbortSignal.timeout(limits.totalTimeoutMs),
    limits,
  };
}

async function readAnswer(response: HttpResponse): Promise<{ answer: Answer | null; problem: string | null }> {
  const text = Buffer.from(await response.body.bytes(limits.responseBytesMax)).toString("utf8");
  try {
    const answer: unknown = JSON.parse(text);
    return { answer: typeof answer === "object" && answer !== null ? answer : null, problem: null };
  } catch {
    return { answer: null, problem: `The upstream sent status ${response.status} and no JSON.` };
  }
}

function errorIn(answer: Answer | null): string | null {
  const error = answer?.error;
  const message = typeof error === "object" && error !== null ? error.message : error;
  return typeof message === "string" ? message : null;
}

function countIn(value: unknown): number | null {
  return Number.isSafeInteger(value) ? (value as number) : null;
}
