/** GET /v1/realtime as a websocket handshake. */
import type { ApiCall } from "../api/api-call.ts";
import { RequestRefused, refuse } from "../api/json-answer.ts";
import { valuesOf } from "../http/request-reader.ts";
import type { Answer } from "../wire/plan.ts";

const acceptSuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** Responds with 101, after which the connection is a websocket. @throws RequestRefused */
export function answerRealtime(call: ApiCall): Answer {
  const { request } = call;
  const key = request.header("sec-websocket-key");
  if (request.header("upgrade")?.toLowerCase() !== "websocket" || key === null) {
    throw new RequestRefused({ status: 426, message: "This endpoint is a websocket." });
  }
  if (modelOf(request.head.target) === "") {
    throw refuse("You must provide a model parameter.", "model", "missing_model");
  }
  const offered = valuesOf(request.head.headers, "sec-websocket-protocol").join(",");
  const accept = new Bun.CryptoHasher("sha1").update(`${key}${acceptSuffix}`).digest("base64");
  return {
    status: 101,
    headers: [
      ["Upgrade", "websocket"],
      ["Connection", "Upgrade"],
      ["Sec-WebSocket-Accept", accept],
      ...(/(^|,) *realtime *(,|$)/.test(offered) ? ([["Sec-WebSocket-Protocol", "realtime"]] as const) : []),
    ],
    body: { kind: "whole", bytes: new Uint8Array(0) },
  };
}

/** The model in the query, or an empty text. */
export function modelOf(target: string): string {
  const mark = target.indexOf("?");
  return mark === -1 ? "" : (new URLSearchParams(target.slice(mark)).get("model") ?? "");
}
