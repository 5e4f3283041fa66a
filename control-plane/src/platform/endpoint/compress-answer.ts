import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { accepts } from "../static-file.ts";

const compress = promisify(gzip);
/** Less fits into one packet, compressed or not. */
const bytesMin = 1_400;
/** The best level takes three times as long and saves another thirtieth. */
const level = 6;

/**
 * A response of the kit as the client accepts it: a summary of usage has 32 kB, and 3 kB compressed. Another thread compresses it.
 * Only reads are compressed, because no secret in them is next to what a caller sent.
 */
export async function compressAnswer(request: Request, answer: Response): Promise<Response> {
  if (request.method !== "GET" || !accepts(request.headers.get("accept-encoding") ?? "", "gzip")) {
    return answer;
  }
  const bytes = await answer.bytes();
  const isShort = bytes.length < bytesMin;
  const made = new Response(isShort ? bytes : await compress(bytes, { level }), answer);
  made.headers.set("vary", "accept-encoding");
  if (!isShort) {
    made.headers.set("content-encoding", "gzip");
  }
  return made;
}
