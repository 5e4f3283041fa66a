import {
  type HttpClient,
  HttpClientError,
  type HttpRequest,
  type HttpResponse,
} from "../../platform/http-client/model.ts";
import { type AttemptFailure, classifyClientError, classifyStatus } from "../respond/classify-status.ts";

/** An upstream that answered, or why it did not. A failure may carry the upstream's error body. */
export type AttemptResult =
  | { readonly isAnswered: true; readonly response: HttpResponse }
  | { readonly isAnswered: false; readonly failure: AttemptFailure; readonly errorBody: Uint8Array | null };

const errorBodyBytesMax = 65_536;

/** One attempt at one channel. Never throws; nothing of an answer has gone to the client when it returns. */
export async function forward(client: HttpClient, request: HttpRequest): Promise<AttemptResult> {
  try {
    const response = await client.send(request);
    const failure = classifyStatus(response.status, response.headers);
    if (failure === null) {
      return { isAnswered: true, response };
    }
    return { isAnswered: false, failure, errorBody: await readErrorBody(response, failure) };
  } catch (error) {
    if (error instanceof HttpClientError) {
      return { isAnswered: false, failure: classifyClientError(error), errorBody: null };
    }
    throw error;
  }
}

/** Only an error about the request itself is worth reading; the rest would not be shown to anybody. */
async function readErrorBody(response: HttpResponse, failure: AttemptFailure): Promise<Uint8Array | null> {
  const isJson = response.headers.some(([name, value]) => name === "content-type" && value.includes("json"));
  if (!failure.isRequestFault || !isJson) {
    response.body.cancel();
    return null;
  }
  try {
    return await response.body.bytes(errorBodyBytesMax);
  } catch (error) {
    if (error instanceof HttpClientError) {
      return null;
    }
    throw error;
  }
}
