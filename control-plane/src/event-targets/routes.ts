import { adminOperation } from "@sluice/contracts/admin-rights";
import {
  deliveryInput,
  deliveryListInput,
  deliveryListResponse,
  operatorTargetCreateInput,
  operatorTargetSaveInput,
  queuedDeliveryResponse,
  targetCreateResponse,
  targetInput,
  targetListResponse,
  targetRemoveResponse,
  targetResponse,
  userTargetCreateInput,
  userTargetSaveInput,
} from "@sluice/contracts/event-targets";
import {
  oldSecretHours,
  operatorTargetsMax,
  replaysMax,
  testsPerHourMax,
  userTargetsMax,
} from "@sluice/contracts/event-types";
import { z } from "zod";
import { byCaller } from "../admin/audit/service.ts";
import { type AnyEndpoint, type EndpointCall, endpoint } from "../platform/endpoint/model.ts";
import type { EventTargets, TargetCaller } from "./service.ts";

const nothing = z.strictObject({});
const rotation = [`The old secret also signs for ${oldSecretHours} hours.`];
const testsOf = (targetsMax: number): string[] => [
  `At most ${testsPerHourMax} tests per hour, and ${testsPerHourMax * targetsMax} for all of them together, including removed ones.`,
];
const replays = [`At most ${replaysMax} times per delivery.`];

/** The endpoints with which users manage the webhooks of their account, and admins those of the operator. */
export function eventTargetEndpoints(targets: EventTargets): AnyEndpoint[] {
  return [
    ...userChanges(targets),
    ...userLog(targets),
    userRemove(targets),
    ...adminChanges(targets),
    ...adminLog(targets),
  ];
}

const ofUser = (call: EndpointCall<"user", unknown>): TargetCaller => ({
  gatewayUserId: call.user.gatewayUserId,
  ...byCaller(call),
});

const ofOperator = (call: EndpointCall<"admin", unknown>): TargetCaller => ({ gatewayUserId: null, ...byCaller(call) });

function userChanges(targets: EventTargets): AnyEndpoint[] {
  const access = "user";
  return [
    endpoint({
      method: "GET",
      path: "/backend/webhooks/list/",
      access,
      input: nothing,
      summary: "List the account's webhooks",
      output: targetListResponse,
      errors: [],
      handle: async ({ user }) => ({ targets: await targets.list(user) }),
    }),
    endpoint({
      method: "POST",
      path: "/backend/webhooks/create/",
      access,
      input: userTargetCreateInput,
      summary: "Add a webhook; the secret that signs its messages is shown only once",
      output: targetCreateResponse,
      limits: [`At most ${userTargetsMax} webhooks per account.`],
      errors: ["conflict"],
      handle: async (call) => {
        const { url, ...wish } = call.input;
        return await targets.create(ofUser(call), { ...wish, place: { kind: "webhook", url } });
      },
    }),
    endpoint({
      method: "POST",
      path: "/backend/webhooks/save/",
      access,
      input: userTargetSaveInput,
      summary: "Change a webhook, or switch it off or on",
      output: targetResponse,
      errors: ["not_found", "version_conflict", "conflict"],
      handle: async (call) => {
        const { url, ...change } = call.input;
        return { target: await targets.save(ofUser(call), { ...change, place: { kind: "webhook", url } }) };
      },
    }),
    endpoint({
      method: "POST",
      path: "/backend/webhooks/rotate/",
      access,
      input: targetInput,
      summary: "Replace the secret of a webhook; the new one is shown only once",
      output: targetCreateResponse,
      limits: rotation,
      errors: ["not_found", "conflict"],
      handle: async (call) => await targets.rotate(ofUser(call), call.input.target_id),
    }),
  ];
}

function userLog(targets: EventTargets): AnyEndpoint[] {
  const access = "user";
  return [
    endpoint({
      method: "POST",
      path: "/backend/webhooks/test/",
      access,
      input: targetInput,
      summary: "Send a test to a webhook",
      output: queuedDeliveryResponse,
      limits: testsOf(userTargetsMax),
      errors: ["not_found", "conflict", "too_many_attempts"],
      handle: async (call) => ({ delivery_id: await targets.test(ofUser(call), call.input.target_id) }),
    }),
    endpoint({
      method: "GET",
      path: "/backend/webhooks/deliveries/",
      access,
      input: deliveryListInput,
      summary: "List what was sent to a webhook, newest first, with every attempt",
      output: deliveryListResponse,
      errors: ["not_found"],
      handle: async ({ user, input: { target_id: targetId, cursor, limit } }) => {
        const { rows, nextCursor } = await targets.deliveries(user, { targetId, before: cursor ?? null, limit });
        return { deliveries: rows, next_cursor: nextCursor };
      },
    }),
    endpoint({
      method: "POST",
      path: "/backend/webhooks/replay/",
      access,
      input: deliveryInput,
      summary: "Send something again, under the same id",
      output: queuedDeliveryResponse,
      limits: replays,
      errors: ["not_found", "conflict"],
      handle: async (call) => ({ delivery_id: await targets.replay(ofUser(call), call.input.delivery_id) }),
    }),
  ];
}

function adminChanges(targets: EventTargets): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/backend/admin/event-target/list/",
      access: "admin",
      input: nothing,
      summary: "List where the operator's events are sent",
      output: targetListResponse,
      errors: [],
      handle: async () => ({ targets: await targets.list({ gatewayUserId: null }) }),
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/event-target/create/"),
      input: operatorTargetCreateInput,
      summary: "Add a webhook, mailbox or chat for the operator's events; a signing secret is shown only once",
      output: targetCreateResponse,
      limits: [`At most ${operatorTargetsMax} in all.`],
      errors: ["conflict"],
      handle: async (call) => await targets.create(ofOperator(call), call.input),
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/event-target/save/"),
      input: operatorTargetSaveInput,
      summary: "Change where events are sent, or switch it off or on",
      output: targetResponse,
      errors: ["not_found", "version_conflict", "conflict"],
      handle: async (call) => ({ target: await targets.save(ofOperator(call), call.input) }),
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/event-target/remove/"),
      input: targetInput,
      summary: "Remove a target of events with its log",
      output: targetRemoveResponse,
      errors: ["not_found"],
      handle: async (call) => ({ target_id: await targets.remove(ofOperator(call), call.input.target_id) }),
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/event-target/rotate/"),
      input: targetInput,
      summary: "Replace the secret of a webhook; the new one is shown only once",
      output: targetCreateResponse,
      limits: rotation,
      errors: ["not_found", "conflict"],
      handle: async (call) => await targets.rotate(ofOperator(call), call.input.target_id),
    }),
  ];
}

function adminLog(targets: EventTargets): AnyEndpoint[] {
  return [
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/event-target/test/"),
      input: targetInput,
      summary: "Send a test to a target of events",
      output: queuedDeliveryResponse,
      limits: testsOf(operatorTargetsMax),
      errors: ["not_found", "conflict", "too_many_attempts"],
      handle: async (call) => ({ delivery_id: await targets.test(ofOperator(call), call.input.target_id) }),
    }),
    endpoint({
      method: "GET",
      path: "/backend/admin/event-target/deliveries/",
      access: "admin",
      input: deliveryListInput,
      summary: "List what was sent to a target of events, newest first, with every attempt",
      output: deliveryListResponse,
      errors: ["not_found"],
      handle: async ({ input: { target_id: targetId, cursor, limit } }) => {
        const page = { targetId, before: cursor ?? null, limit };
        const { rows, nextCursor } = await targets.deliveries({ gatewayUserId: null }, page);
        return { deliveries: rows, next_cursor: nextCursor };
      },
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/event-target/replay/"),
      input: deliveryInput,
      summary: "Send something again, under the same id",
      output: queuedDeliveryResponse,
      limits: replays,
      errors: ["not_found", "conflict"],
      handle: async (call) => ({ delivery_id: await targets.replay(ofOperator(call), call.input.delivery_id) }),
    }),
  ];
}

function userRemove(targets: EventTargets): AnyEndpoint {
  const access = "user";
  return endpoint({
    method: "POST",
    path: "/backend/webhooks/remove/",
    access,
    input: targetInput,
    summary: "Remove a webhook with its log",
    output: targetRemoveResponse,
    errors: ["not_found"],
    handle: async (call) => ({ target_id: await targets.remove(ofUser(call), call.input.target_id) }),
  });
}
