import { type SaveProviderInput, saveProviderInput, signInProvidersMax } from "@sluice/contracts/sign-in";
import type { Act } from "../../admin/approvals/port.ts";
import { recordAct } from "../../admin/approvals/service.ts";
import { audit, byCaller } from "../../admin/audit/service.ts";
import type { MasterKey } from "../../platform/crypto/master-key.ts";
import { seal } from "../../platform/crypto/seal.ts";
import type { Database, Transaction } from "../../platform/db.ts";
import { AppError, notFound } from "../../platform/errors.ts";
import {
  countProviders,
  deleteProvider,
  insertProvider,
  lockProvider,
  type StoredProvider,
  selectProviders,
  updateProvider,
} from "./provider-store.ts";
import { entryOf, secretContext } from "./providers.ts";

export type SaveProviderDeps = {
  readonly masterKey: MasterKey;
  readonly baseUrl: string;
};

/**
 * Creates or changes a provider. An issuer says who somebody is, so one that somebody controls opens every account whose
 * address it names: it takes two people, except to switch a provider off.
 */
export function saveProviderAct(deps: SaveProviderDeps): Act<SaveProviderInput> {
  return {
    kind: "sign_in_provider.save",
    schema: saveProviderInput,
    secretField: "client_secret",
    reasonOf: ({ reason }) => reason,
    perform: async (tx, input, origin) => {
      const before = await lockProvider(tx, input.slug);
      await write(tx, deps.masterKey, { input, before });
      const saved = (await selectProviders(tx)).find(({ slug }) => slug === input.slug);
      if (saved === undefined) {
        throw new Error("the provider was not saved");
      }
      const entry = entryOf(saved, { users: saved.users, baseUrl: deps.baseUrl });
      await recordAct(tx, origin, {
        action: "sign_in_provider.save",
        subjectKind: "sign_in_provider",
        subjectId: input.slug,
        before: before === null ? null : shown(before),
        after: { ...shown(saved), hasNewSecret: input.client_secret !== "" },
        reason: input.reason,
      });
      return {
        isNew: true,
        amount: null,
        takesTwo: input.is_enabled,
        effects: {
          sign_in_provider: entry.label,
          sign_in_provider_is: before === null ? "new" : input.is_enabled ? "changed" : "switched off",
          issuer: entry.issuer,
        },
        finish: async () => ({ provider: entry }),
      };
    },
  };
}

/**
 * Removes a provider that is switched off, with its secret. Links of users stay: they work again with a provider of the same
 * issuer.
 * @throws AppError `not_found`, `conflict` while it is switched on
 */
export async function removeProvider(
  db: Database,
  {
    slug,
    reason,
    call,
  }: { readonly slug: string; readonly reason: string; readonly call: Parameters<typeof byCaller>[0] },
): Promise<void> {
  await db.withTransaction(async (tx) => {
    const before = await lockProvider(tx, slug);
    if (before === null) {
      throw notFound("sign-in service");
    }
    if (before.isEnabled) {
      throw new AppError("conflict", { message: "Switch the service off first." });
    }
    await deleteProvider(tx, slug);
    const what = { subjectKind: "sign_in_provider", subjectId: slug, before: shown(before), reason };
    await audit(tx, byCaller(call), "sign_in_provider.remove", what);
  });
}

async function write(
  tx: Transaction,
  masterKey: MasterKey,
  { input, before }: { readonly input: SaveProviderInput; readonly before: StoredProvider | null },
): Promise<void> {
  const loadedAt = input.updated_at === undefined ? null : Date.parse(input.updated_at);
  if (loadedAt !== (before?.updatedAt.getTime() ?? null)) {
    throw new AppError("conflict");
  }
  const isElsewhere = before === null || before.issuer !== input.issuer || before.kind !== input.kind;
  if (input.client_secret === "" && isElsewhere) {
    // The stored secret is not sent to another issuer.
    throw new AppError("secret_required", {
      fields: { client_secret: "Enter the secret that this issuer has given you." },
    });
  }
  const secret = Buffer.from(input.client_secret, "utf8");
  const kept = input.client_secret === "" ? before?.secretSealed : undefined;
  const written = {
    slug: input.slug,
    kind: input.kind,
    label: input.label,
    issuer: input.issuer,
    clientId: input.client_id,
    secretSealed: kept ?? seal(masterKey.sealing, secret, secretContext(input.slug)),
    isEnabled: input.is_enabled,
    mayRegister: input.may_register,
  };
  if (before !== null) {
    await updateProvider(tx, written);
    return;
  }
  if ((await countProviders(tx)) >= signInProvidersMax) {
    throw new AppError("conflict", { message: `There can be at most ${signInProvidersMax} providers.` });
  }
  if (!(await insertProvider(tx, written))) {
    throw new AppError("conflict");
  }
}

function shown({ kind, label, issuer, clientId, isEnabled, mayRegister }: StoredProvider): object {
  return { kind, label, issuer, clientId, isEnabled, mayRegister };
}
