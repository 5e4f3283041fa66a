import type { Quota } from "@sluice/contracts/money";
import { Counter, Histogram, type Registry } from "prom-client";
import type { Attempt } from "../usage/log/model.ts";
import type { CallEnd, CallState } from "./model.ts";
import type { GatewayObserver } from "./pipeline-deps.ts";

const latencyBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/** Sums by label, kept as plain numbers on the hot path and copied to the registry only when it is read. */
class Sums {
  readonly #values = new Map<string, { sum: number }>();

  add(labels: string, amount: number): void {
    const value = this.#values.get(labels);
    if (value === undefined) {
      this.#values.set(labels, { sum: amount });
    } else {
      value.sum += amount;
    }
  }

  register(registry: Registry, name: string, help: string, labelNames: string[]): void {
    const values = this.#values;
    const counter = new Counter({
      name,
      help,
      labelNames,
      registers: [registry],
      collect() {
        counter.reset();
        for (const [labels, { sum }] of values) {
          const parts = labels.split("\n");
          counter.inc(Object.fromEntries(labelNames.map((label, index) => [label, parts[index] ?? ""])), sum);
        }
      },
    });
  }
}

/** The gateway's metrics for operators at `/metrics`. */
export class GatewayMetrics implements GatewayObserver {
  readonly #requests = new Sums();
  readonly #attempts = new Sums();
  readonly #nodeAttempts = new Sums();
  readonly #fallbacks = new Sums();
  readonly #tokens = new Sums();
  readonly #quota = new Sums();
  readonly #implausible = new Sums();
  readonly #duration: Histogram;
  readonly #firstByte: Histogram;

  constructor(registry: Registry) {
    const registers = [registry];
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
    this.#duration = new Histogram({
      name: "sluice_request_duration_seconds",
      help: "From the first byte of a request to the end of its response.",
      buckets: latencyBuckets,
      registers,
    });
    this.#firstByte = new Histogram({
      name: "sluice_first_token_seconds",
      help: "From the first byte of a request to the first byte of its response.",
      buckets: latencyBuckets,
      registers,
    });
  }

  onAttempt(attempt: Attempt, exitNode: string | null): void {
    const { channel, credential = "", result } = attempt;
    this.#attempts.add(`${channel}\n${credential}\n${exitNode ?? ""}\n${result}`, 1);
    if (exitNode !== null) {
      this.#nodeAttempts.add(`${exitNode}\n${attempt.result}`, 1);
    }
  }

  onFallback(from: string, to: string, reason: string): void {
    this.#fallbacks.add(`${from}\n${to}\n${reason}`, 1);
  }

  onEnd(state: CallState, end: CallEnd, durationMs: number, quota: Quota): void {
    const model = state.model?.name ?? "";
    this.#requests.add(`${end.outcome}\n${end.errorCode ?? ""}\n${model}`, 1);
    if (end.usageSource !== "none") {
      this.#tokens.add(`input\n${model}`, Number(end.units.inputTokens));
      this.#tokens.add(`output\n${model}`, Number(end.units.outputTokens));
    }
    if (end.isImplausible === true) {
      this.#implausible.add(`${state.attempts.at(-1)?.channel ?? ""}\n${model}`, 1);
    }
    if (quota > 0n) {
      this.#quota.add(model, Number(quota));
    }
    this.#duration.observe(durationMs / 1000);
    if (state.firstByteMs !== null) {
      this.#firstByte.observe(state.firstByteMs / 1000);
    }
  }
}
