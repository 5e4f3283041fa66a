import { connectRaw, type RawConnection } from "./raw-tcp-client.ts";

/** The response to one request, as far as it is HTTP. */
export type Exchange = {
  /** Null when the connection ended without a response. */
  readonly status: number | null;
  /** The statuses of interim responses before it, such as 100. */
  readonly interim: readonly number[];
  readonly headers: Headers;
  readonly body: string;
  /** Of the request: all of it, or of its body where `fetch` wrote the head. */
  readonly sentBytes: number;
  /** From the first byte of the request to the last one of the response. */
  readonly durationMs: number;
};

/** Sends a request with `fetch` and reads the whole response. */
export async function exchange(url: string, init: RequestInit): Promise<Exchange> {
  const startedAtMs = performance.now();
  const answer = await fetch(url, { redirect: "manual", ...init });
  const body = await answer.text();
  const durationMs = performance.now() - startedAtMs;
  const { status, headers } = answer;
  const sentBytes = typeof init.body === "string" || init.body instanceof Uint8Array ? init.body.length : 0;
  return { status, interim: [], headers: new Headers(headers), body, sentBytes, durationMs };
}

/** Sends bytes over a separate connection and reads one response. Anything after it stays on the connection. */
export async function exchangeRaw(
  url: string,
  request: string | Uint8Array,
): Promise<Exchange & { readonly connection: RawConnection }> {
  const connection = await connectRaw(Number(new URL(url).port));
  const startedAtMs = performance.now();
  connection.send(request);
  const interim: number[] = [];
  const sentBytes = request.length;
  for (let offset = 0; ; ) {
    const head = await readHead(connection, offset);
    if (head === null) {
      const durationMs = performance.now() - startedAtMs;
      return { status: null, interim, headers: new Headers(), body: "", sentBytes, durationMs, connection };
    }
    if (head.status >= 200) {
      const length = Number(head.headers.get("content-length") ?? 0);
      await connection.waitForBytes(head.end + length);
      const body = Buffer.from(connection.received()).toString("utf8", head.end, head.end + length);
      const durationMs = performance.now() - startedAtMs;
      return { status: head.status, interim, headers: head.headers, body, sentBytes, durationMs, connection };
    }
    interim.push(head.status);
    offset = head.end;
  }
}

type Head = { readonly status: number; readonly headers: Headers; readonly end: number };

/** The head of the response that begins at `offset`; null when the connection ended before it was complete. */
async function readHead(connection: RawConnection, offset: number): Promise<Head | null> {
  const find = () => Buffer.from(connection.received()).indexOf("\r\n\r\n", offset);
  while (find() === -1) {
    const seen = connection.received().length;
    const hasEnded = await Promise.race([
      connection.waitForBytes(seen + 1).then(() => false),
      connection.ended.then(() => true),
    ]);
    if (hasEnded && find() === -1) {
      return null;
    }
  }
  const end = find() + "\r\n\r\n".length;
  const [statusLine = "", ...lines] = Buffer.from(connection.received())
    .toString("latin1", offset, end)
    .trim()
    .split("\r\n");
  const headers = new Headers(
    lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]),
  );
  return { status: Number(statusLine.split(" ")[1]), headers, end };
}
