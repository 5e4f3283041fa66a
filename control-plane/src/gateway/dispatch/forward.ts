import type {
  HttpClient,
  HttpClientError,
  HttpRequest,
  HttpResponse,
  ResponseReceiver,
} from "@sluice/http-client/model";

/** Where the outcome of an attempt goes; one of the two is called, once. */
export type Ending<Outcome> = {
  readonly resolve: (outcome: Outcome | Promise<Outcome>) => void;
  readonly reject: (error: unknown) => void;
};

/** What becomes of a response, or of none. Both may throw, which ends the attempt. */
export type ResponseReader<Outcome> = {
  readonly onResponse: (response: HttpResponse, ending: Ending<Outcome>) => void;
  readonly onFailure: (error: HttpClientError) => Outcome;
};

/**
 * One attempt at one channel. From the request to the recorded response there is only this promise: it is what every call
 * waits for.
 */
export function forward<Outcome>(
  client: Pick<HttpClient, "ask">,
  request: HttpRequest,
  reader: ResponseReader<Outcome>,
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    client.ask(request, new AttemptReceiver(reader, { resolve, reject }));
  });
}

class AttemptReceiver<Outcome> implements ResponseReceiver {
  readonly #reader: ResponseReader<Outcome>;
  readonly #ending: Ending<Outcome>;

  constructor(reader: ResponseReader<Outcome>, ending: Ending<Outcome>) {
    this.#reader = reader;
    this.#ending = ending;
  }

  onResponse(response: HttpResponse): void {
    try {
      this.#reader.onResponse(response, this.#ending);
    } catch (error) {
      this.#ending.reject(error);
    }
  }

  onFailure(error: HttpClientError): void {
    try {
      this.#ending.resolve(this.#reader.onFailure(error));
    } catch (thrown) {
      this.#ending.reject(thrown);
    }
  }
}
