import { type RawConnection, rawRequest } from "../wire/raw-tcp-client.ts";
import type { FrontRig } from "./front-rig.ts";

/** A request that the front serves itself, as text. */
export function servedRequest(body: string, ...lines: readonly string[]): string {
  return rawRequest(["POST /v1/chat/completions HTTP/1.1", "Host: sluice.example", ...lines], body);
}

/** What a connection has received so far; one character is one byte. */
export function receivedText(connection: RawConnection): string {
  return Buffer.from(connection.received()).toString("latin1");
}

/** Who got each request, and its body. */
export function bodiesSeen(rig: FrontRig): string[] {
  return rig.seen.map(({ by, body }) => `${by} ${body}`);
}

/** Resolves when something has become so; throws if it takes longer than five seconds. */
export async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; !isSo(); tries += 1) {
    if (tries === 500) {
      throw new Error("it did not become so");
    }
    await Bun.sleep(10);
  }
}
