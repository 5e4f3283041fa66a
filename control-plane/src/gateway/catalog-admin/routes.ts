import { adminOperation } from "@sluice/contracts/admin-rights";
import {
  channelTest,
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
import type { AddressGuard } from "@sluice/http-client/address-guard";
import { z } from "zod";
import type { Approvals } from "../../admin/approvals/service.ts";
import { audit, byCaller } from "../../admin/audit/service.ts";
import type { Database } from "../../platform/db.ts";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import type { SwitchStatus } from "./catalog-admin-store.ts";
import type { CatalogActs } from "./model-act.ts";
import { saveAbility } from "./save-ability.ts";
import { checkAddresses, type SealCredential, saveChannel, switchChannels } from "./save-channel.ts";
import type { ChannelTests } from "./test-channel.ts";

export type CatalogAdminDeps = {
  readonly db: Database;
  readonly sealCredential: SealCredential;
  readonly tests: ChannelTests;
  readonly approvals: Approvals;
  readonly acts: CatalogActs;
  /** Checks where channel hosts resolve to; null if any server of the network is allowed. */
  readonly guard: AddressGuard | null;
};

/** What admins do with models, channels and abilities. The database announces each change to all replicas. */
export function catalogAdminEndpoints(deps: CatalogAdminDeps): AnyEndpoint[] {
  return [
    modelEndpoint(deps),
    channelEndpoint(deps),
    switchEndpoint(deps, "enable", "enabled"),
    switchEndpoint(deps, "disable", "disabled"),
    abilityEndpoint(deps),
    testEndpoint(deps),
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

function channelEndpoint({ db, sealCredential, guard }: CatalogAdminDeps): AnyEndpoint {
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
          const { before, after } = await saveChannel(tx, call.input, sealCredential);
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

function testEndpoint({ db, tests }: CatalogAdminDeps): AnyEndpoint {
  return endpoint({
    method: "POST",
    ...adminOperation("/backend/admin/channel/test/"),
    input: testChannelInput,
    output: z.strictObject({ test: channelTest }),
    errors: ["not_found", "conflict", "too_many_attempts"],
    limits: ["Four tests at a time.", "A channel has 30 seconds to respond."],
    summary: "Send one small call through a channel and report the result; nobody is charged",
    handle: async (call) => {
      const result = await tests.run(call.input.channel_id, call.input.model ?? null);
      // The provider bills the test call, so the audit log records who asked for it.
      await db.withTransaction((tx) =>
        audit(tx, byCaller(call), "channel.test", {
          subjectKind: "channel",
          subjectId: call.input.channel_id.toString(),
          after: { model: result.model, is_ok: result.is_ok, http_status: result.http_status, error: result.error },
        }),
      );
      return { test: result };
    },
  });
}
