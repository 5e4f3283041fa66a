import { adminOperation } from "@sluice/contracts/admin-rights";
import {
  adoptModelsInput,
  adoptModelsOutput,
  channelTest,
  listModelsInput,
  type ProbedUpstream,
  saveAbilityInput,
  saveChannelInput,
  savedAbility,
  savedChannel,
  saveModelInput,
  saveModelOutput,
  switchChannelsInput,
  testChannelInput,
} from "@sluice/contracts/catalog-admin";
import type { ChannelId } from "@sluice/contracts/ids";
import { proposedModels } from "@sluice/contracts/model-proposals";
import type { AddressGuard } from "@sluice/http-client/address-guard";
import type { HttpClient } from "@sluice/http-client/model";
import { z } from "zod";
import type { Approvals } from "../../admin/approvals/service.ts";
import { audit, byCaller } from "../../admin/audit/service.ts";
import type { Database } from "../../platform/db.ts";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import type { SwitchStatus } from "./catalog-admin-store.ts";
import { credentialEndpoints } from "./credential-routes.ts";
import { fallbackEndpoints } from "./fallback-routes.ts";
import { listUpstreamModels } from "./list-upstream-models.ts";
import type { CatalogActs } from "./model-act.ts";
import { priceDataEndpoints } from "./price-data/routes.ts";
import type { Probes } from "./probe/exchange.ts";
import type { OpenCredentials } from "./probe/probe-target.ts";
import { saveAbility } from "./save-ability.ts";
import { checkAddresses, saveChannel, switchChannels } from "./save-channel.ts";
import type { CredentialSeals } from "./save-credential.ts";
import { testChannel } from "./test-channel.ts";

export type CatalogAdminDeps = {
  readonly db: Database;
  readonly seals: CredentialSeals;
  readonly probes: Probes;
  readonly openCredentials: OpenCredentials;
  readonly approvals: Approvals;
  readonly acts: CatalogActs;
  /** Opens a client that reaches only what upstreams may be. */
  readonly openClient: () => Promise<HttpClient>;
  /** Checks where channel hosts resolve to; null if any server of the network is allowed. */
  readonly guard: AddressGuard | null;
};

/** What admins do with models, channels and abilities. The database announces each change to all replicas. */
export function catalogAdminEndpoints(deps: CatalogAdminDeps): AnyEndpoint[] {
  return [
    modelEndpoint(deps),
    channelEndpoint(deps),
    ...credentialEndpoints(deps),
    switchEndpoint(deps, "enable", "enabled"),
    switchEndpoint(deps, "disable", "disabled"),
    abilityEndpoint(deps),
    ...fallbackEndpoints(deps),
    testEndpoint(deps),
    listModelsEndpoint(deps),
    adoptEndpoint(deps),
    ...priceDataEndpoints(deps),
  ];
}

function modelEndpoint({ approvals, acts }: CatalogAdminDeps): AnyEndpoint {
  return endpoint({
    method: "POST",
    ...adminOperation("/backend/admin/model/save/"),
    input: saveModelInput,
    output: saveModelOutput,
    errors: ["conflict"],
    limits: [
      "With admin.second_person_above_usd, a new model or a lower price waits until another super-admin has approved it.",
    ],
    summary: "Create a model, or change its limits and prices; earlier calls keep their prices",
    handle: async (call) => await approvals.carryOut(acts.model, call.input, call),
  });
}

function channelEndpoint({ db, seals, guard }: CatalogAdminDeps): AnyEndpoint {
  return endpoint({
    method: "POST",
    ...adminOperation("/backend/admin/channel/save/"),
    input: saveChannelInput,
    output: z.strictObject({ channel: savedChannel }),
    errors: ["conflict", "not_found", "secret_required"],
    summary: "Create a channel, or change the loaded version; its credential is never shown again",
    handle: async (call) => {
      // Names are resolved outside of the transaction, which would otherwise wait for them.
      await checkAddresses(db, call.input, guard);
      return {
        channel: await db.withTransaction(async (tx) => {
          const { before, after } = await saveChannel(tx, call.input, seals.sealCredential);
          const isCredentialChanged = call.input.credential !== undefined;
          await audit(tx, byCaller(call), "channel.save", {
            subjectKind: "channel",
            subjectId: after.channel_id.toString(),
            before,
            after: { ...after, is_credential_changed: isCredentialChanged },
            reason: call.input.reason,
          });
          return after;
        }),
      };
    },
  });
}

function switchEndpoint({ db }: CatalogAdminDeps, word: "enable" | "disable", status: SwitchStatus): AnyEndpoint {
  return endpoint({
    method: "POST",
    ...adminOperation(`/backend/admin/channel/${word}/`),
    input: switchChannelsInput,
    output: z.strictObject({ channels: z.array(savedChannel) }),
    errors: ["conflict", "not_found"],
    summary: `${word === "enable" ? "Enable" : "Disable"} some channels, all of them or none`,
    handle: async (call) => ({
      channels: await db.withTransaction(async (tx) => {
        const saved = await switchChannels(tx, call.input.channel_ids, status);
        for (const { before, after } of saved) {
          await audit(tx, byCaller(call), `channel.${word}`, {
            subjectKind: "channel",
            subjectId: after.channel_id.toString(),
            before,
            after,
            reason: call.input.reason,
          });
        }
        return saved.map(({ after }) => after);
      }),
    }),
  });
}

function abilityEndpoint({ db }: CatalogAdminDeps): AnyEndpoint {
  return endpoint({
    method: "POST",
    ...adminOperation("/backend/admin/ability/save/"),
    input: saveAbilityInput,
    output: z.strictObject({ ability: savedAbility }),
    errors: ["not_found", "conflict"],
    summary: "Enable or disable a channel for a model and group, and set its priority; the lowest number goes first",
    handle: async (call) => ({
      ability: await db.withTransaction(async (tx) => {
        const { group_name: groupName, model, channel_id: id, reason, ...rest } = call.input;
        const key = { groupName, model, channelId: id as ChannelId };
        const { upstream_model: upstreamModel, is_enabled: isEnabled, priority, weight } = rest;
        const to = { upstreamModel, isEnabled, priority, weight };
        const before = await saveAbility(tx, key, to);
        const subject = { subjectKind: "ability", subjectId: `${groupName}/${model}/${id}` };
        await audit(tx, byCaller(call), "ability.save", { ...subject, before, after: to, reason });
        return { group_name: groupName, model, channel_id: id, ...rest };
      }),
    }),
  });
}

function testEndpoint(deps: CatalogAdminDeps): AnyEndpoint {
  return endpoint({
    method: "POST",
    ...adminOperation("/backend/admin/channel/test/"),
    input: testChannelInput,
    output: z.strictObject({ test: channelTest }),
    errors: ["not_found", "conflict", "secret_required", "too_many_attempts"],
    limits: ["Four tests at a time.", "A provider has 25 seconds to respond."],
    summary: "Send one small call to a channel, also with settings that are not saved yet; nobody is charged",
    handle: async (call) => {
      const result = await testChannel(deps, call.input);
      // The provider bills the test call, so the audit log records who asked for it.
      const { credential, model, is_ok, http_status, error } = result;
      await recordProbe(deps, call, "channel.test", { credential, model, is_ok, http_status, error });
      return { test: result };
    },
  });
}

function listModelsEndpoint(deps: CatalogAdminDeps): AnyEndpoint {
  return endpoint({
    method: "POST",
    ...adminOperation("/backend/admin/channel/models/"),
    input: listModelsInput,
    output: proposedModels,
    errors: ["not_found", "conflict", "secret_required", "too_many_attempts"],
    limits: ["Four lists at a time.", "A provider has 25 seconds and 8 MiB for its list.", "At most 2,000 models."],
    summary: "Fetch a provider's list of models, with names, prices and limits that the catalog could have for them",
    handle: async (call) => {
      const found = await listUpstreamModels(deps, call.input);
      await recordProbe(deps, call, "channel.models", { models: found.models.length });
      return found;
    },
  });
}

/** Records a request of ours to an upstream: which channel, or which hosts if there is none yet. */
async function recordProbe(
  { db }: CatalogAdminDeps,
  call: Parameters<typeof byCaller>[0] & { readonly input: ProbedUpstream },
  action: string,
  result: object,
): Promise<void> {
  const { channel_id: id, upstream } = call.input;
  const addresses = Object.values(upstream?.dialects ?? {}).map(({ base_url: address }) => address);
  await db.withTransaction((tx) =>
    audit(tx, byCaller(call), action, {
      subjectKind: "channel",
      subjectId: id === undefined ? "new" : id.toString(),
      after: { ...result, ...(addresses.length === 0 ? {} : { addresses }) },
    }),
  );
}

function adoptEndpoint({ db, guard, approvals, acts }: CatalogAdminDeps): AnyEndpoint {
  return endpoint({
    method: "POST",
    ...adminOperation("/backend/admin/channel/adopt/"),
    input: adoptModelsInput,
    output: adoptModelsOutput,
    errors: ["conflict", "not_found"],
    limits: [
      "At most 100 models.",
      "With admin.second_person_above_usd, new models wait until another super-admin has approved them.",
    ],
    summary: "Create a channel, or take one that exists, and let it serve models; new ones get the confirmed prices",
    handle: async (call) => {
      await checkAddresses(db, call.input, guard);
      return await approvals.carryOut(acts.adopt, call.input, call);
    },
  });
}
