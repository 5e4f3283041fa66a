/** What differs between the formats in which a client can speak, apart from requests and answers themselves. */
import type { AuthStyle, IncomingRequest } from "../script/incoming-request.ts";
import type { AnswerHeader, StreamForm } from "../wire/plan.ts";
import type { ApiCall } from "./api-call.ts";
import type { ApiError } from "./json-answer.ts";

export type Dialect = {
  /** How a client may send its key, unless the sandbox was started with other ways. */
  readonly authStyles: readonly AuthStyle[];
  /** The refusal of a request without a key, and of one with a wrong key. */
  readonly keyErrors: { readonly missing: ApiError; readonly wrong: ApiError };
  readonly form: StreamForm;
  /** The JSON of an error. */
  readonly errorBody: (error: ApiError, call: ApiCall) => unknown;
  /** Headers that the real provider adds to every response, so that tests can see whether a gateway keeps or drops them. */
  readonly headers: (call: ApiCall) => readonly AnswerHeader[];
  /** The text of the last message if it is the user's and answers no tool call, or null. */
  readonly spoken: (request: IncomingRequest) => string | null;
};
