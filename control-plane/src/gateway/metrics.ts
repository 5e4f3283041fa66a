import type { Registry } from "prom-client";
import type { Amount } from "../platform/amount.ts";
import { histogram, type Sum, Sums } from "../platform/metric.ts";
import type { Attempt } from "../usage/log/model.ts";
import type { CallEnd, CallState } from "./model.ts";
import type { GatewayObserver } from "./pipeline-deps.ts";

const latencyBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/** What calls of one model add to when they succeed: nearly every call does, and finds it without a look-up. */
type ModelSums = {
  readonly name: string;
  readonly requests: Sum;
  readonly input: Sum;
  readonly output: Sum;
  readonly quota: Sum;
};

/** The same of attempts. */
type AttemptSum = {
  readonly channel: string;
  readonly credential: string;
  readonly exitNode: string | null;
  readonly result: string;
  readonly sum: Sum;
};

/** The gateway's metrics for operators at `/metrics`. */
export class GatewayMetrics implements GatewayObserver {
  readonly #requests = new Sums();
  readonly #attempts = new Sums();
  readonly #nodeAttempts = new Sums();
  readonly #fallbacks = new Sums();
  readonly #tokens = new Sums();
  readonly #quota = new Sums();
  readonly #implausible = new Sums();
  readonly #duration: (seconds: number) => void;
  readonly #firstByte: (seconds: number) => void;
  #latest: ModelSums | null = null;
  #latestAttempts: AttemptSum | null = null;

  constructor(registry: Registry) {
    this.#requests.register(registry, "sluice_requests_total", "Relayed calls that ended.", [
      "outcome",
      "code",
      "model",
    ]);
    this.#attempts.register(registry, "sluice_attempts_total", "Attempts on channels.", [
      "channel",
      "credential",
      "node",
      "result",
    ]);
    this.#nodeAttempts.register(registry, "sluice_exit_node_attempts_total", "Attempts through exit nodes.", [
      "node",
      "result",
    ]);
    this.#fallbacks.register(registry, "sluice_fallbacks_total", "Calls that continued with another model.", [
      "from",
      "to",
      "reason",
    ]);
    this.#tokens.register(registry, "sluice_tokens_total", "Tokens of calls that ended.", ["kind", "model"]);
    this.#quota.register(registry, "sluice_quota_charged_total", "Quota that calls cost, before multipliers.", [
      "model",
    ]);
    const implausible = "Calls whose provider reported an implausible usage.";
    this.#implausible.register(registry, "sluice_implausible_usage_total", implausible, ["channel", "model"]);
    this.#duration = histogram(
      registry,
      "sluice_request_duration_seconds",
      "From the first byte of a request to the end of its response.",
      latencyBuckets,
    );
    this.#firstByte = histogram(
      registry,
      "sluice_first_token_seconds",
      "From the first byte of a request to the first byte of its response.",
      latencyBuckets,
    );
  }

  onAttempt(attempt: Attempt, exitNode: string | null): void {
    const { channel, credential = "", result } = attempt;
    const latest = this.#latestAttempts;
    const isSame = latest?.channel === channel && latest.credential === credential && latest.result === result;
    if (isSame && latest.exitNode === exitNode) {
      latest.sum.sum += 1;
    } else {
      const sum = this.#attempts.of(`${channel}\n${credential}\n${exitNode ?? ""}\n${result}`);
      sum.sum += 1;
      this.#latestAttempts = { channel, credential, exitNode, result, sum };
    }
    if (exitNode !== null) {
      this.#nodeAttempts.add(`${exitNode}\n${attempt.result}`, 1);
    }
  }

  onFallback(from: string, to: string, reason: string): void {
    this.#fallbacks.add(`${from}\n${to}\n${reason}`, 1);
  }

  onEnd(state: CallState, end: CallEnd, durationMs: number, quota: Amount): void {
    const model = state.model?.name ?? "";
    const isPaid = end.outcome === "completed" && end.errorCode === null && end.usageSource !== "none";
    const sums = isPaid ? this.#sumsOf(model) : null;
    const requests = sums?.requests ?? this.#requests.of(`${end.outcome}\n${end.errorCode ?? ""}\n${model}`);
    requests.sum += 1;
    if (end.usageSource !== "none") {
      const { inputTokens, outputTokens } = end.units;
      (sums?.input ?? this.#tokens.of(`input\n${model}`)).sum += Number(inputTokens);
      (sums?.output ?? this.#tokens.of(`output\n${model}`)).sum += Number(outputTokens);
    }
    if (end.isImplausible === true) {
      this.#implausible.add(`${state.attempts.at(-1)?.channel ?? ""}\n${model}`, 1);
    }
    if (quota > 0) {
      (sums?.quota ?? this.#quota.of(model)).sum += Number(quota);
    }
    this.#duration(durationMs / 1000);
    if (state.firstByteMs !== null) {
      this.#firstByte(state.firstByteMs / 1000);
    }
  }

  #sumsOf(model: string): ModelSums {
    if (this.#latest?.name !== model) {
      this.#latest = {
        name: model,
        requests: this.#requests.of(`completed\n\n${model}`),
        input: this.#tokens.of(`input\n${model}`),
        output: this.#tokens.of(`output\n${model}`),
        quota: this.#quota.of(model),
      };
    }
    return this.#latest;
  }
}
