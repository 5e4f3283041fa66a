import { type HttpClient, HttpClientError, type HttpRequest, type HttpResponse } from "@sluice/http-client/model";

/** One attempt at one channel: returns the head of the response, or how the connection failed. */
export function forward(client: HttpClient, request: HttpRequest): Promise<HttpResponse | HttpClientError> {
  return client.send(request).catch(asResult);
}

function asResult(error: unknown): HttpClientError {
  if (error instanceof HttpClientError) {
    return error;
  }
  throw error;
}
