import { type HttpClient, HttpClientError, type HttpRequest, type HttpResponse } from "@sluice/http-client/model";

/** One attempt at one channel: returns the head of the response, or how the connection failed. */
export async function forward(client: HttpClient, request: HttpRequest): Promise<HttpResponse | HttpClientError> {
  try {
    return await client.send(request);
  } catch (error) {
    if (error instanceof HttpClientError) {
      return error;
    }
    throw error;
  }
}
