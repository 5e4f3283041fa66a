import { copyBytes } from "@sluice/http-client/packet-part";
import type { OpenedPayload, Payload } from "./model.ts";

/*
 * The plaintext of a payload: format (1 byte), flags (1), length of the request (4, little endian), request, response.
 * Older versions compressed each by itself: such a zstd frame begins with another byte than the format.
 */
const format = 1;
const flagsOffset = 1;
const requestLengthOffset = 2;
const headerBytes = 6;
const hasRequest = 1;
const requestTruncated = 2;
const responseTruncated = 4;
const zstdFirstByte = 0x28;

/** The length of a payload's blob. */
export function blobLength(payload: Payload, bodyBytesMax: number): number {
  return headerBytes + Math.min(payload.request?.byteLength ?? 0, bodyBytesMax) + responseLength(payload, bodyBytesMax);
}

function responseLength(payload: Payload, bodyBytesMax: number): number {
  let length = 0;
  for (const piece of payload.response) {
    length += piece.byteLength;
    if (length >= bodyBytesMax) {
      return bodyBytesMax;
    }
  }
  return length;
}

/**
 * Copies the beginnings of both bodies into one blob; never touches more of them than the limit.
 * @param bodyBytesMax the limit for the request and the response, each
 * @param at where in the target the blob begins
 * @returns the blob's flags, which say what was truncated
 */
export function packPayload(payload: Payload, bodyBytesMax: number, target: Uint8Array, at: number): number {
  const { request } = payload;
  const requestLength = Math.min(request?.byteLength ?? 0, bodyBytesMax);
  for (let index = 0; index < 4; index += 1) {
    target[at + requestLengthOffset + index] = requestLength >>> (8 * index);
  }
  if (request !== null) {
    copyBytes(request, target, at + headerBytes, requestLength);
  }
  let room = bodyBytesMax;
  let end = at + headerBytes + requestLength;
  for (const piece of payload.response) {
    if (room === 0) {
      break;
    }
    const kept = Math.min(piece.byteLength, room);
    copyBytes(piece, target, end, kept);
    end += kept;
    room -= kept;
  }
  const flags =
    (request === null ? 0 : hasRequest) |
    (payload.requestBytes > requestLength ? requestTruncated : 0) |
    (payload.responseBytes > bodyBytesMax - room ? responseTruncated : 0);
  target[at] = format;
  target[at + flagsOffset] = flags;
  return flags;
}

export function isRequestTruncated(flags: number): boolean {
  return (flags & requestTruncated) !== 0;
}

export function isResponseTruncated(flags: number): boolean {
  return (flags & responseTruncated) !== 0;
}

/** The bodies in a blob that may be compressed. */
export function unpackPayload(bytes: Uint8Array): OpenedPayload {
  const blob = bytes[0] === zstdFirstByte ? Bun.zstdDecompressSync(bytes) : bytes;
  if (blob.length < headerBytes || blob[0] !== format) {
    throw new Error(`payloads of format ${blob[0]} are unknown`);
  }
  const flags = blob[flagsOffset] ?? 0;
  const requestEnd = headerBytes + new DataView(blob.buffer, blob.byteOffset).getUint32(requestLengthOffset, true);
  return {
    request: (flags & hasRequest) === 0 ? null : blob.subarray(headerBytes, requestEnd),
    response: blob.subarray(requestEnd),
    isRequestTruncated: isRequestTruncated(flags),
    isResponseTruncated: isResponseTruncated(flags),
  };
}
