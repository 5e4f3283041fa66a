import type { HttpClient, HttpRequest, HttpResponse } from "@sluice/http-client/model";

/**
 * One attempt at one channel.
 * @returns the head of the response
 * @throws HttpClientError how the connection failed
 */
export function forward(client: HttpClient, request: HttpRequest): Promise<HttpResponse> {
  return client.send(request);
}
