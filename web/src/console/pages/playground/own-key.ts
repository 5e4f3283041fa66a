import type { madeKeyResponse } from "@sluice/contracts/keys";
import { type Accessor, createSignal } from "solid-js";
import { apiPost, newIdempotencyKey } from "../../../api/client.ts";
import { keepTab, readTab } from "../../parts/tab-storage.ts";

/** The key that the page has made for itself. It is kept until the tab is closed or its user logs out. */
export type OwnKey = {
  /** For whom it was made: user, organisation and project. */
  readonly owner: string;
  readonly keyId: string;
  readonly secret: string;
  readonly expiresAt: string;
};

export type OwnKeys = {
  /** The key that the next call uses; null if one is made then. */
  readonly current: Accessor<OwnKey | null>;
  /** The current key, or a new one. Calls that begin together get the same. @throws ApiError */
  readonly use: () => Promise<OwnKey>;
  /** Makes the next call use a new key, if it would use this one; one whose limit is spent is revoked then. */
  readonly forget: (key: OwnKey, why: "ended" | "spent") => void;
};

/** The limits of such a key, which its owner can change on the page of keys. */
export const ownKeyLimits = { name: "Playground", quota: 2_500_000, hours: 24, perMinute: 60, atOnce: 8 } as const;

const hourMs = 3_600_000;
/** A key that ends sooner than this is not used any more. */
const restMsMin = 60_000;

/**
 * @param owner user and organisation; null until they are known
 * @param projectId the project of the organisation that is charged; empty for none
 */
export function createOwnKeys(owner: Accessor<string | null>, projectId: Accessor<string>): OwnKeys {
  const [kept, setKept] = createSignal<OwnKey | null>(readOwnKey());
  const wanted = (): string => `${owner() ?? ""}/${projectId()}`;
  const current = (): OwnKey | null => {
    const key = kept();
    const isFit = key?.owner === wanted() && Date.parse(key.expiresAt) - Date.now() > restMsMin;
    return isFit ? key : null;
  };
  const keep = (key: OwnKey | null): void => {
    setKept(key);
    keepTab("playground-key", key);
  };
  let making: { readonly owner: string; readonly key: Promise<OwnKey> } | null = null;
  let spent: OwnKey | null = null;
  const make = async (forOwner: string): Promise<OwnKey> => {
    const old = spent;
    spent = null;
    if (old?.owner === forOwner) {
      await apiPost("/backend/keys/revoke/", { key_id: old.keyId });
    }
    const key = await makeKey(forOwner, projectId());
    keep(key);
    return key;
  };
  return {
    current,
    use: async () => {
      const known = current();
      if (known !== null) {
        return known;
      }
      if (making?.owner !== wanted()) {
        making = { owner: wanted(), key: make(wanted()) };
      }
      try {
        return await making.key;
      } finally {
        making = null;
      }
    },
    forget: (key, why) => {
      if (kept()?.secret === key.secret) {
        keep(null);
        spent = why === "spent" ? key : null;
      }
    },
  };
}

async function makeKey(owner: string, projectId: string): Promise<OwnKey> {
  const expiresAt = new Date(Date.now() + ownKeyLimits.hours * hourMs).toISOString();
  const { secret, key } = await apiPost<typeof madeKeyResponse>(
    "/backend/keys/create/",
    {
      name: ownKeyLimits.name,
      is_for_playground: true,
      quota_limit: ownKeyLimits.quota,
      requests_per_minute: ownKeyLimits.perMinute,
      concurrency_max: ownKeyLimits.atOnce,
      expires_at: expiresAt,
      ...(projectId === "" ? {} : { project_id: projectId }),
    },
    { idempotencyKey: newIdempotencyKey() },
  );
  return { owner, keyId: String(key.key_id), secret: secret ?? "", expiresAt };
}

function readOwnKey(): OwnKey | null {
  const read = readTab("playground-key") as Partial<Record<keyof OwnKey, unknown>> | null;
  const { owner, keyId, secret, expiresAt } = read ?? {};
  return typeof owner === "string" &&
    typeof keyId === "string" &&
    typeof secret === "string" &&
    typeof expiresAt === "string"
    ? { owner, keyId, secret, expiresAt }
    : null;
}
