import type { profileEntry } from "@sluice/contracts/upstream-auth";
import type { ResponseOf } from "@sluice/contracts/wire";

export type Profile = ResponseOf<typeof profileEntry>;

/** Where the profiles are listed. */
export const profilePath = "/backend/upstream/auth-profiles/list/";
