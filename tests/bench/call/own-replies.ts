/* What the provider of `bench call` responds, as its sockets send it. */
import { type Answers, endOfChatStream } from "../relay/load/answers.ts";
import type { OwnReply } from "./own-sockets.ts";

/** What is compared of the end of a whole response. */
const tailBytes = 16;

export function wholeReply({ json }: Answers): OwnReply {
  return { packets: [{ wire: json, slot: null }], tail: Buffer.from(json.subarray(-tailBytes)), bytesMin: json.length };
}

/** The head comes with the first event. */
export function streamReply({ streamHead, chunks, streamBody }: Answers): OwnReply {
  const packets = chunks.map(({ wire, slot }, index) =>
    index === 0 ? { wire: Buffer.concat([streamHead, wire]), slot: streamHead.length + slot } : { wire, slot },
  );
  return { packets, tail: Buffer.from(`${endOfChatStream}\r\n0\r\n\r\n`), bytesMin: streamBody.length };
}
