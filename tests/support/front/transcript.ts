import { connectRaw } from "../wire/raw-tcp-client.ts";
import type { SeenRequest } from "./front-rig.ts";

/** What a server made of the bytes of one connection. */
export type Transcript = {
  /** The requests that it answered, as it understood them. */
  readonly seen: readonly SeenRequest[];
  readonly statuses: readonly number[];
};

/** A response comes this soon, or not at all; on a busy machine it may come later. */
const quietMsMin = 150;
export const patientMs = 2_000;

type Conversation = { readonly pieceBytes?: number; readonly quietMs?: number };

/** Sends bytes over one connection, in pieces, and reads all responses. */
export async function converse(
  port: number,
  text: string,
  { pieceBytes = text.length, quietMs = quietMsMin }: Conversation = {},
): Promise<Transcript> {
  const connection = await connectRaw(port);
  for (let from = 0; from < text.length; from += pieceBytes) {
    try {
      connection.send(text.slice(from, from + pieceBytes));
    } catch {
      // The server has ended the connection in the middle of the request.
      break;
    }
    if (pieceBytes < text.length) {
      await new Promise(setImmediate);
    }
  }
  let count = -1;
  while (count !== connection.receivedBytes()) {
    count = connection.receivedBytes();
    const end = await Promise.race([connection.ended, Bun.sleep(quietMs).then(() => "quiet")]);
    if (end !== "quiet") {
      break;
    }
  }
  connection.close();
  return readResponses(Buffer.from(connection.received()).toString("latin1"));
}

function readResponses(text: string): Transcript {
  const seen: SeenRequest[] = [];
  const statuses: number[] = [];
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf("\r\n\r\n", at);
    const head = text.slice(at, end === -1 ? text.length : end);
    const status = Number(head.slice("HTTP/1.1 ".length, "HTTP/1.1 200".length));
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    statuses.push(status);
    const body = text.slice(end + 4, end + 4 + length);
    // That to a HEAD has a length and no body.
    if (status === 200 && body !== "") {
      seen.push(JSON.parse(body) as SeenRequest);
    }
    if (end === -1) {
      break;
    }
    at = end + 4 + length;
  }
  return { seen, statuses };
}
