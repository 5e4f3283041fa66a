import type { GatewayUserId, RequestId } from "@sluice/contracts/ids";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { placeBytes } from "@sluice/control-plane/trace/payload-places.ts";

export type StoredPlace = {
  readonly requestId: RequestId;
  readonly gatewayUserId: GatewayUserId;
  readonly byteOffset: number;
  readonly byteLength: number;
  readonly requestBytes: number;
  readonly responseBytes: number;
  readonly isRequestTruncated: boolean;
  readonly isResponseTruncated: boolean;
};

/** What the places of a segment say, payload by payload. */
export function readPlaces(bytes: Uint8Array): StoredPlace[] {
  const places = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return Array.from({ length: places.length / placeBytes }, (_, index) => {
    const place = places.subarray(index * placeBytes, (index + 1) * placeBytes);
    const flags = place[44] ?? 0;
    return {
      requestId: place.toString("hex", 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-") as RequestId,
      gatewayUserId: place.readBigInt64BE(16) as GatewayUserId,
      byteOffset: place.readInt32BE(24),
      byteLength: place.readInt32BE(28),
      requestBytes: place.readUIntBE(32, 6),
      responseBytes: place.readUIntBE(38, 6),
      isRequestTruncated: (flags & 2) > 0,
      isResponseTruncated: (flags & 4) > 0,
    };
  });
}

/** The places of all payloads in a database, with their days and segments. */
export async function listPlaces(
  db: Pick<Database, "sql">,
): Promise<(StoredPlace & { readonly day: string; readonly segmentId: string })[]> {
  const rows = await db.sql<{ day: string; segment_id: string; places: Uint8Array }>`
    select day::text as day, segment_id::text as segment_id, places from payload_segment where places is not null`;
  return rows.flatMap(({ day, segment_id: segmentId, places }) =>
    readPlaces(places).map((place) => ({ ...place, day, segmentId })),
  );
}
