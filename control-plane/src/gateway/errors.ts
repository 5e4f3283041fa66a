import type { GatewayResponse } from "./model.ts";

/**
 * Thrown by `readBody` for a call that already has its response: the key is valid, no provider is called, nothing is
 * charged.
 */
export class FreeAnswer extends Error {
  readonly answer: GatewayResponse;

  constructor(answer: GatewayResponse) {
    super("the call has its answer already");
    this.name = "FreeAnswer";
    this.answer = answer;
  }
}
