import type { RefundAnswer, RefundGateway, RefundRequest } from "@sluice/control-plane/payments/gateways/port.ts";

/** A gateway that refunds as scripted: by default at once, each number once. */
export class ScriptedRefunds implements RefundGateway {
  readonly requests: RefundRequest[] = [];
  /** Its next responses; the last one stays. */
  answers: (RefundAnswer | Error | Promise<RefundAnswer>)[] = [];
  #onRequest: () => void = () => undefined;

  refund(request: RefundRequest): Promise<RefundAnswer> {
    this.requests.push(request);
    this.#onRequest();
    const answer = this.answers.length > 1 ? this.answers.shift() : this.answers[0];
    if (answer instanceof Error) {
      return Promise.reject(answer);
    }
    return Promise.resolve(answer ?? { kind: "done", gatewayRefundId: `gateway ${request.refundNo}` });
  }

  /** Waits for the next request to come. */
  nextRequest(): Promise<void> {
    return new Promise((resolve) => {
      this.#onRequest = resolve;
    });
  }
}
