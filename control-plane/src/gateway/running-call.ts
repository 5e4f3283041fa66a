import type { BegunAttempt, ChannelTrial } from "./attempt-channels.ts";
import type { CallAttempts, OperatedCall } from "./call-attempt.ts";
import type { Ending } from "./dispatch/forward.ts";
import type { AdmittedCall, CallState, GatewayResponse } from "./model.ts";
import type { Operation } from "./operations/model.ts";
import type { AnswerReceiver } from "./port.ts";

/** What a pipeline does for all of its calls. */
export interface CallWork {
  readonly attempts: CallAttempts;
  finish(state: CallState, operation: Operation, answer: GatewayResponse): GatewayResponse;
  refuse(state: CallState, thrown: unknown): GatewayResponse;
}

/** A call that waits for its outcome, which its receiver then gets as a response. It tries channels once it is admitted. */
export class RunningCall implements Ending<GatewayResponse>, OperatedCall, ChannelTrial<GatewayResponse> {
  readonly operation: Operation;
  readonly #work: CallWork;
  readonly #state: CallState;
  readonly #receiver: AnswerReceiver;

  constructor(work: CallWork, state: CallState, operation: Operation, receiver: AnswerReceiver) {
    this.operation = operation;
    this.#work = work;
    this.#state = state;
    this.#receiver = receiver;
  }

  /** What is known of the call; only an admitted one is asked for it. */
  get state(): AdmittedCall {
    return this.#state as AdmittedCall;
  }

  try(attempt: BegunAttempt<GatewayResponse>): void {
    this.#work.attempts.try(this, attempt);
  }

  resolve(outcome: GatewayResponse | Promise<GatewayResponse>): void {
    if (outcome instanceof Promise) {
      outcome.then(
        (answer) => this.resolve(answer),
        (thrown: unknown) => this.reject(thrown),
      );
      return;
    }
    this.#receiver.onAnswer(this.#work.finish(this.#state, this.operation, outcome));
  }

  reject(thrown: unknown): void {
    this.#receiver.onAnswer(this.#work.refuse(this.#state, thrown));
  }
}
