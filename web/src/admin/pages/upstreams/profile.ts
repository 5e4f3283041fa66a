import type { profileEntry } from "@sluice/contracts/upstream-auth";
import type { AnswerOf } from "@sluice/contracts/wire";

export type Profile = AnswerOf<typeof profileEntry>;

/** Where the profiles are listed. */
export const profilePath = "/backend/upstream/auth-profiles/list/";
