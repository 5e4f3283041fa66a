import { UpstreamError, type UpstreamRequest } from "./model.ts";

export const headBytesMax = 64 * 1024;
/** What may occur between the line ends of a head. */
const contentPattern = /^[\t\x20-\x7e\x80-\xff]*$/;
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
 * The head as text with one byte per character.
 * @throws UpstreamError of kind `malformed` when a part of it would end a line or is too long
 */
export function composeRequestHead(request: UpstreamRequest): string {
  const { method, target, headers } = request;
  if (!targetPattern.test(target)) {
    throw new UpstreamError("malformed", "the target of the request is not a path");
  }
  const host = hostOf(request.destination);
  let text = `${method} ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: keep-alive\r\n`;
  let isClean = contentPattern.test(method) && contentPattern.test(host);
  for (const [name, value] of headers) {
    // The line ends are ours, and no outside value may contain one.
    isClean &&= contentPattern.test(name) && contentPattern.test(value);
    text += `${name}: ${value}\r\n`;
  }
  if (!isClean) {
    throw new UpstreamError("malformed", "the head of the request holds a character that it cannot carry");
  }
  const bodyLine = framing(request);
  text += bodyLine === null ? "\r\n" : `${bodyLine}\r\n\r\n`;
  if (text.length > headBytesMax) {
    throw new UpstreamError("malformed", "the head of the request is too large");
  }
  return text;
}
