import type {
  HttpClient,
  HttpClientError,
  HttpRequest,
  HttpResponse,
  ResponseReceiver,
} from "@sluice/http-client/model";

/** Where the outcome of an attempt goes; one of the two is called, once. Neither may throw. */
export interface Ending<Outcome> {
  resolve(outcome: Outcome | Promise<Outcome>): void;
  reject(error: unknown): void;
}

/** One attempt at one channel, which takes the response to its request. */
export abstract class SentAttempt<Outcome> implements ResponseReceiver {
  ending: Ending<Outcome> | null = null;

  /** The head of a response is there. @throws what ends the attempt */
  protected abstract read(response: HttpResponse, ending: Ending<Outcome>): void;

  /** The attempt failed before a response. */
  protected abstract fail(error: HttpClientError): Outcome;

  onResponse(response: HttpResponse): void {
    const ending = this.ending as Ending<Outcome>;
    try {
      this.read(response, ending);
    } catch (error) {
      ending.reject(error);
    }
  }

  onFailure(error: HttpClientError): void {
    this.ending?.resolve(this.fail(error));
  }
}

/** Sends the request of an attempt. From here to the recorded response, most calls wait for nothing else. */
export function forward<Outcome>(
  client: Pick<HttpClient, "ask">,
  request: HttpRequest,
  attempt: SentAttempt<Outcome>,
  ending: Ending<Outcome>,
): void {
  attempt.ending = ending;
  client.ask(request, attempt);
}
