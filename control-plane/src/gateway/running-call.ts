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
export class RunningCall
  implements Ending<GatewayResponse>, OperatedCall, ChannelTrial<GatewayResponse>, AnswerReceiver
{
  readonly operation: Operation;
  readonly #work: CallWork;
  readonly #state: CallState;
  /** Null once the call has its response: after an exception it may have two outcomes. */
  #receiver: AnswerReceiver | null;

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

  /** Puts a receiver in front of the call's own, which may answer before the call does. */
  answerThrough(open: (receiver: AnswerReceiver) => AnswerReceiver): void {
    if (this.#receiver !== null) {
      this.#receiver = open(this.#receiver);
    }
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
    let finished: GatewayResponse;
    try {
      finished = this.#work.finish(this.#state, this.operation, outcome);
    } catch (thrown) {
      this.reject(thrown);
      return;
    }
    this.onAnswer(finished);
  }

  reject(thrown: unknown): void {
    this.onAnswer(this.#work.refuse(this.#state, thrown));
  }

  /** A second response would be taken for that of the next call on the connection. */
  onAnswer(answer: GatewayResponse): void {
    const receiver = this.#receiver;
    this.#receiver = null;
    receiver?.onAnswer(answer);
  }
}
