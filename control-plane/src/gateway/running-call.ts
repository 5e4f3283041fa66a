import type { BegunAttempt, ChannelTrial } from "./attempt-channels.ts";
import type { CallAttempts, OperatedCall } from "./call-attempt.ts";
import type { Ending } from "./dispatch/forward.ts";
import type { AdmittedCall, CallState, GatewayResponse } from "./model.ts";
import type { Operation } from "./operations/model.ts";
import type { AnswerReceiver } from "./port.ts";

/** How an admitted call tries channels. */
export class CallTrial implements OperatedCall, ChannelTrial<GatewayResponse> {
  readonly state: AdmittedCall;
  readonly operation: Operation;
  readonly #attempts: CallAttempts;

  constructor(attempts: CallAttempts, state: AdmittedCall, operation: Operation) {
    this.#attempts = attempts;
    this.state = state;
    this.operation = operation;
  }

  try(attempt: BegunAttempt<GatewayResponse>): void {
    this.#attempts.try(this, attempt);
  }
}

/** What is done with the outcome of every call. */
export interface CallFinisher {
  finish(state: CallState, operation: Operation, answer: GatewayResponse): GatewayResponse;
  refuse(state: CallState, thrown: unknown): GatewayResponse;
}

/** A call that waits for its outcome, which its receiver then gets as a response. */
export class RunningCall implements Ending<GatewayResponse> {
  readonly #finisher: CallFinisher;
  readonly #state: CallState;
  readonly #operation: Operation;
  readonly #receiver: AnswerReceiver;

  constructor(finisher: CallFinisher, state: CallState, operation: Operation, receiver: AnswerReceiver) {
    this.#finisher = finisher;
    this.#state = state;
    this.#operation = operation;
    this.#receiver = receiver;
  }

  resolve(outcome: GatewayResponse | Promise<GatewayResponse>): void {
    if (outcome instanceof Promise) {
      outcome.then(
        (answer) => this.resolve(answer),
        (thrown: unknown) => this.reject(thrown),
      );
      return;
    }
    this.#receiver.onAnswer(this.#finisher.finish(this.#state, this.#operation, outcome));
  }

  reject(thrown: unknown): void {
    this.#receiver.onAnswer(this.#finisher.refuse(this.#state, thrown));
  }
}
