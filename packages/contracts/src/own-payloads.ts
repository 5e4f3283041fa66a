import { z } from "zod";
import { pageSize, recordId } from "./keys.ts";
import { day } from "./moments.ts";
import { strictObject } from "./strict-object.ts";
import { bodyView } from "./traces.ts";
import { type Unsent, wireDay, wireInteger, wireMoment } from "./wire.ts";

/** The bodies of their own calls, which users may read where the operator allows it and the account has switched it on. */

const requestId = z.uuid().transform((id) => id.toLowerCase());

/** Whether the bodies of an account's calls can be read, and by whom. */
export const ownReadingView = strictObject(() => ({
  /** Whether the operator allows it. Nothing can be read otherwise. */
  is_allowed: z.boolean(),
  /** Bodies of calls that began at this moment or later can be read; null while it is switched off. */
  since: wireMoment.nullable(),
  /** In an organisation: whether members read those of their own calls. Owners and admins read those of all calls. */
  by_members: z.boolean(),
  /** How many payloads a person can read per hour. */
  reads_per_hour: z.int(),
  /** For how many days bodies are kept. */
  kept_days: z.int(),
}));
export type OwnReadingView = Unsent<z.output<typeof ownReadingView>>;

export const ownReadingResponse = strictObject(() => ({ reading: ownReadingView }));

export const ownReadingSaveInput = strictObject(() => ({
  is_on: z.boolean(),
  /** Only an organisation has members. */
  by_members: z.boolean().default(false),
}));
export type OwnReadingSaveInput = z.output<typeof ownReadingSaveInput>;

/** The call to read. Without its day in UTC, the day is derived from the request id. */
export const ownPayloadInput = strictObject(() => ({ request_id: requestId, day: day.optional() }));

/** The bodies as they were stored, apart from credentials, which are masked. */
export const ownPayloadResponse = strictObject(() => ({
  request: bodyView.nullable(),
  response: bodyView,
  /** The number of the record of this access. */
  access: z.strictObject({ number: wireInteger }),
}));

/** Who has read the bodies of which call. */
export const ownAccessView = strictObject(() => ({
  number: wireInteger,
  at: wireMoment,
  /** The person who read; the address is the one of today. */
  user_id: wireInteger,
  email: z.string(),
  /** The name of the access token, if it was one. */
  token_name: z.string().nullable(),
  gateway_user_id: wireInteger,
  request_id: z.uuid(),
  /** Of the call, in UTC. */
  day: wireDay,
  ip: z.string(),
}));
export type OwnAccessView = Unsent<z.output<typeof ownAccessView>>;

export const ownAccessListInput = strictObject(() => ({
  /** Selects accesses to the payload of one call. */
  request_id: requestId.optional(),
  cursor: recordId.optional(),
  limit: pageSize.default(50),
}));

export const adminOwnAccessListInput = ownAccessListInput.extend({
  /** Selects accesses of one person. */
  user_id: recordId.optional(),
});

export const ownAccessListOutput = strictObject(() => ({
  accesses: z.array(ownAccessView),
  next_cursor: wireInteger.nullable(),
}));
