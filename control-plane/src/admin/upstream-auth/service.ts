import { type ProfileEntry, profilesMax, type SaveProfileInput } from "@sluice/contracts/upstream-auth";
import type { MasterKey } from "../../platform/crypto/master-key.ts";
import type { Transaction } from "../../platform/db.ts";
import { AppError, notFound } from "../../platform/errors.ts";
import { saveSecret } from "../secrets/service.ts";
import { countProfiles, insertProfile, lockProfile, markForRefresh, setCredential, updateProfile } from "./store.ts";

export type SavedProfile = {
  /** Null for a new profile. */
  readonly before: ProfileEntry | null;
  readonly after: ProfileEntry;
  readonly isCredentialNew: boolean;
};

/**
 * Creates a profile, or changes the one that was loaded. Its credential goes to the secret store and has to be entered
 * again if it would be sent somewhere else than before.
 * @throws AppError `not_found`, `conflict` for a version that is not the newest, a name that is taken or too many
 * profiles, `secret_required`
 */
export async function saveProfile(
  tx: Transaction,
  masterKey: MasterKey,
  profile: SaveProfileInput,
): Promise<SavedProfile> {
  const before = profile.id === undefined ? null : await findToChange(tx, profile.id, profile.version);
  if (before !== null && profile.credential === undefined && isSentElsewhere(before, profile)) {
    throw new AppError("secret_required");
  }
  const id = before === null ? await addProfile(tx, profile) : await changeProfile(tx, before.id, profile);
  if (profile.credential !== undefined) {
    const secret = `upstream_auth.${id}`;
    await saveSecret(tx, masterKey, secret, JSON.stringify(profile.credential));
    await setCredential(tx, id, { secret, fields: Object.keys(profile.credential).sort() });
  }
  const after = await lockProfile(tx, id);
  if (after === null) {
    throw new Error(`profile ${id} is gone`);
  }
  return { before, after, isCredentialNew: profile.credential !== undefined };
}

async function findToChange(tx: Transaction, id: bigint, version: number | undefined): Promise<ProfileEntry> {
  const found = await lockProfile(tx, id);
  if (found === null) {
    throw notFound("profile");
  }
  if (found.version !== version) {
    throw new AppError("conflict");
  }
  return found;
}

async function addProfile(tx: Transaction, profile: SaveProfileInput): Promise<bigint> {
  if ((await countProfiles(tx)) >= profilesMax) {
    throw new AppError("conflict", { message: `There are already ${profilesMax} profiles.` });
  }
  const id = await insertProfile(tx, profile);
  if (id === null) {
    throw nameIsTaken();
  }
  return id;
}

async function changeProfile(tx: Transaction, id: bigint, profile: SaveProfileInput): Promise<bigint> {
  if (!(await updateProfile(tx, id, profile))) {
    throw nameIsTaken();
  }
  return id;
}

function nameIsTaken(): AppError {
  return new AppError("conflict", { message: "Another profile already has this name." });
}

/** Whether the stored credential would be used by another auth type, or sent to another API or token URL. */
function isSentElsewhere(before: ProfileEntry, { auth_type, base_url, settings }: SaveProfileInput): boolean {
  if (before.credential_fields.length === 0) {
    return false;
  }
  const tokenUrl = "token_url" in settings ? settings.token_url : null;
  return (
    before.auth_type !== auth_type ||
    new URL(before.base_url).origin !== new URL(base_url).origin ||
    (before.settings["token_url"] ?? null) !== tokenUrl
  );
}

/**
 * Marks a profile for reconnecting. No provider is called: a person reconnects it by hand.
 * @throws AppError `not_found`
 */
export async function requestRefresh(
  tx: Transaction,
  id: bigint,
): Promise<{ readonly before: ProfileEntry; readonly after: ProfileEntry }> {
  const before = await lockProfile(tx, id);
  const after = before === null ? null : await markForRefresh(tx, id);
  if (before === null || after === null) {
    throw notFound("profile");
  }
  return { before, after };
}
