import type { GatewayUserId } from "@sluice/contracts/ids";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { placeBytes } from "@sluice/control-plane/trace/payload-places.ts";

export type StoredPlace = {
  /** The last sixteen digits of the ID of the call. */
  readonly idEnd: string;
  readonly gatewayUserId: GatewayUserId;
  readonly byteOffset: number;
  readonly byteLength: number;
  readonly requestBytes: number;
  readonly responseBytes: number;
  readonly isRequestTruncated: boolean;
  readonly isResponseTruncated: boolean;
};

export const idEndOf = (requestId: string): string => requestId.replaceAll("-", "").slice(16);

type Stored = { readonly places: Uint8Array; readonly groups: Uint8Array };

const viewOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);

/** What the places of a segment say, payload by payload. */
export function readPlaces(segment: Stored): StoredPlace[] {
  const [places, groups] = [viewOf(segment.places), viewOf(segment.groups)];
  return Array.from({ length: places.length / placeBytes }, (_, index) => {
    const place = places.subarray(index * placeBytes, (index + 1) * placeBytes);
    const flags = place.readUInt16BE(14) >> 13;
    const group = groups.subarray((place.readUInt16BE(14) & 0x1fff) * 8);
    return {
      idEnd: place.toString("hex", 0, 8),
      gatewayUserId: BigInt(place.readUIntBE(8, 6)) as GatewayUserId,
      byteOffset: group.readUInt32BE(0),
      byteLength: group.readUInt32BE(4),
      requestBytes: place.readUIntBE(16, 5),
      responseBytes: place.readUIntBE(21, 5),
      isRequestTruncated: (flags & 2) > 0,
      isResponseTruncated: (flags & 4) > 0,
    };
  });
}

/** The places of all payloads in a database, with their days and segments. */
export async function listPlaces(
  db: Pick<Database, "sql">,
): Promise<(StoredPlace & { readonly day: string; readonly segmentId: string })[]> {
  const rows = await db.sql<Stored & { day: string; segment_id: string }>`
    select day::text as day, segment_id::text as segment_id, places, groups from payload_segment where places is not null`;
  return rows.flatMap(({ day, segment_id: segmentId, ...segment }) =>
    readPlaces(segment).map((place) => ({ ...place, day, segmentId })),
  );
}
