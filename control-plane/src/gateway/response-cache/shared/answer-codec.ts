import { unitMeasures } from "@sluice/contracts/priced-units";
import { countName, type Units, unitsOf } from "../../../models/units.ts";
import { toAmount } from "../../../platform/amount.ts";
import { open, seal, sealContext } from "../../../platform/crypto/seal.ts";
import type { SealingKey } from "../../../platform/crypto/sealing-key.ts";
import type { KeptAnswer } from "../model.ts";

/*
 * An answer outside the process: one zstd frame of the format (1 byte), the length of its description (4, little
 * endian), the description as JSON, and the body; encrypted for its digest.
 */
const format = 1;
const descriptionOffset = 5;
const compression = { level: 1 } as const;

type Description = Omit<KeptAnswer, "body" | "units"> & { readonly units: Readonly<Record<string, string | number>> };

const contextOf = (digest: string): string =>
  sealContext({ table: "cached_response", column: "sealed", row: digest, owner: "cache" });

/** Encrypts an answer; it can only be read as the answer to the same request. */
export async function sealAnswer(key: SealingKey, digest: string, answer: KeptAnswer): Promise<Uint8Array> {
  const { body, units, ...rest } = answer;
  const described = Buffer.from(JSON.stringify({ ...rest, units: toTexts(units) }));
  const head = Buffer.alloc(descriptionOffset);
  head[0] = format;
  head.writeUInt32LE(described.length, 1);
  const frame = await Bun.zstdCompress(Buffer.concat([head, described, body]), compression);
  return seal(key, frame, contextOf(digest));
}

/**
 * @returns null for an answer in the format of another release
 * @throws SealError when it was altered, belongs to another request, or needs another key
 */
export async function openAnswer(key: SealingKey, digest: string, sealed: Uint8Array): Promise<KeptAnswer | null> {
  const bytes = await Bun.zstdDecompress(open(key, sealed, contextOf(digest)));
  if (bytes[0] !== format) {
    return null;
  }
  const bodyOffset = descriptionOffset + bytes.readUInt32LE(1);
  const { units, ...rest } = JSON.parse(bytes.toString("utf8", descriptionOffset, bodyOffset)) as Description;
  return { ...rest, units: toUnits(units), body: bytes.subarray(bodyOffset) };
}

function toTexts(units: Units): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(units).map(([name, count]) => [name, typeof count === "bigint" ? count.toString() : count]),
  );
}

/** A unit that an older release did not know was not counted. */
function toUnits(texts: Description["units"]): Units {
  return unitsOf((unit) => {
    const count = texts[countName(unit)] ?? 0;
    return unitMeasures[unit.measure].column === "bigint" ? toAmount(BigInt(count)) : Number(count);
  });
}
