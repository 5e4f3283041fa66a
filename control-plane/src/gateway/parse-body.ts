import type { ApiKeyId } from "@sluice/contracts/ids";
import { type Bytes, viewOf } from "@sluice/http-client/packet-part";
import { OutlinesByCaller } from "../platform/outlines-by-caller.ts";
import { RepeatedByCaller } from "../platform/repeated-by-caller.ts";
import { largeBodyBytesMin } from "../platform/side-thread.ts";
import { type OperationWith, parseOutlined, parseRequest } from "./admit/parse-request.ts";
import type { CallState, ParsedRequest, Principal } from "./model.ts";
import type { Operation } from "./operations/model.ts";
import type { PipelineDeps } from "./pipeline-deps.ts";

/** What agents repeat in each call of a conversation, and applications in each call. */
const repeatedFields = ["tools", "system", "instructions"];

/** Parses the bodies of calls. */
export class BodyParser {
  readonly #parseAside: PipelineDeps["parseAside"];
  readonly #clock: PipelineDeps["clock"];
  readonly #repeated = new RepeatedByCaller<ApiKeyId>(repeatedFields);
  readonly #outlines = new OutlinesByCaller<ApiKeyId, ParsedRequest>();

  constructor({ parseAside, clock }: Pick<PipelineDeps, "parseAside" | "clock">) {
    this.#parseAside = parseAside;
    this.#clock = clock;
  }

  /** Forgets what is known of the bodies of idle callers. */
  forgetIdle(): void {
    const tick = this.#clock.tick();
    this.#repeated.forgetIdle(tick);
    this.#outlines.forgetIdle(tick);
  }

  /**
   * A large body is parsed on another thread, so that no other call has to wait.
   * @throws AppError as `parse-request` does, or `temporarily_unavailable` when too many wait
   */
  parse(
    body: Bytes,
    { call, principal }: Pick<CallState, "call"> & { readonly principal: Principal },
    operation: Operation,
  ): ParsedRequest | Promise<ParsedRequest> {
    const { headers, path } = call;
    // A JSON body was checked to be one, and its type says nothing more.
    const contentType = operation.body === "json" ? null : headers.get("content-type");
    if (body.byteLength >= largeBodyBytesMin && operation.body !== "none") {
      return this.#parseAside({ body: viewOf(body), contentType, path });
    }
    const { apiKeyId } = principal;
    if (operation.body === "json" && operation.freeTexts !== null) {
      return this.#parseLikeOthers(body, operation, operation.freeTexts, apiKeyId);
    }
    return parseRequest(body, contentType, operation, this.#repeated.readerFor(apiKeyId, body.byteLength));
  }

  #parseLikeOthers(
    body: Bytes,
    operation: OperationWith<"json">,
    freeTexts: readonly string[],
    apiKeyId: ApiKeyId,
  ): ParsedRequest {
    const known = this.#outlines.find(apiKeyId, body, freeTexts);
    if (known !== null) {
      return parseOutlined(body, operation, known);
    }
    const request = parseRequest(body, null, operation, this.#repeated.readerFor(apiKeyId, body.byteLength));
    this.#outlines.learn(apiKeyId, body, freeTexts);
    return request;
  }
}
