import { UpstreamError, type UpstreamRequest } from "./model.ts";

const headBytesMax = 64 * 1024;
/** What may stand in a head once its own line ends are taken out. */
const linePattern = /^[\t\x20-\x7e\x80-\xff]*$/;
const targetPattern = /^\/[\x21-\x7e]*$/;

/** The value of Host: the provider's, whatever the caller sent. */
function hostOf({ protocol, hostname, port }: UpstreamRequest["destination"]): string {
  const host = hostname.includes(":") ? `[${hostname}]` : hostname;
  return port === (protocol === "https:" ? 443 : 80) ? host : `${host}:${port}`;
}

function framing(request: UpstreamRequest): string | null {
  const { body, method } = request;
  if (body.kind === "stream") {
    return body.length === null ? "Transfer-Encoding: chunked" : `Content-Length: ${body.length}`;
  }
  if (body.kind === "whole") {
    return `Content-Length: ${body.bytes.length}`;
  }
  return method === "GET" || method === "HEAD" ? null : "Content-Length: 0";
}

/**
 * The bytes of the head.
 * @throws UpstreamError of kind `malformed` when a part of it would end a line or is too long
 */
export function encodeRequestHead(request: UpstreamRequest): Buffer {
  const { method, target, headers } = request;
  if (!targetPattern.test(target)) {
    throw new UpstreamError("malformed", "the target of the request is not a path");
  }
  const lines = [`${method} ${target} HTTP/1.1`, `Host: ${hostOf(request.destination)}`, "Connection: keep-alive"];
  for (const [name, value] of headers) {
    lines.push(`${name}: ${value}`);
  }
  const bodyLine = framing(request);
  if (bodyLine !== null) {
    lines.push(bodyLine);
  }
  for (const line of lines) {
    if (!linePattern.test(line)) {
      throw new UpstreamError("malformed", "the head of the request holds a character that it cannot carry");
    }
  }
  const text = `${lines.join("\r\n")}\r\n\r\n`;
  if (text.length > headBytesMax) {
    throw new UpstreamError("malformed", "the head of the request is too large");
  }
  return Buffer.from(text, "latin1");
}
