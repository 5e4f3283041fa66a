import type { GatewayAnswer } from "./model.ts";

/**
 * Thrown by `readBody` of a call that has its answer already: the key is good, no provider is asked, nothing is charged.
 */
export class FreeAnswer extends Error {
  readonly answer: GatewayAnswer;

  constructor(answer: GatewayAnswer) {
    super("the call has its answer already");
    this.name = "FreeAnswer";
    this.answer = answer;
  }
}
