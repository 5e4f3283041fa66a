import type { GatewayUserId } from "@sluice/contracts/ids";
import {
  countCallsOfAccount,
  countCallsOfChannel,
  countCallsOfKey,
  countCallsOfModel,
} from "@sluice/control-plane/admin/change-preview/consequences-store.ts";
import { readGroupEffect, readModelEffect } from "@sluice/control-plane/admin/change-preview/price-effect-store.ts";
import { selectDays, selectSpans } from "@sluice/control-plane/gateway/account-figures/store.ts";
import { selectLeft } from "@sluice/control-plane/payments/renewals/renewal-store.ts";
import { selectOverdue } from "@sluice/control-plane/payments/subscriptions/subscription-store.ts";
import { selectLow } from "@sluice/control-plane/payments/top-ups/top-up-store.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { countErrors } from "@sluice/control-plane/usage/reports/error-rate-store.ts";
import { readPublicPerformance } from "@sluice/control-plane/usage/reports/performance-store.ts";
import { dayAgo } from "./measured-endpoints.ts";

const rowsMax = 50;
const first = 1n as GatewayUserId;
const price = { version: 1, from: null, until: null, cost: "(input_tokens * 1::numeric)" };

type Read = readonly [string, (db: Database) => Promise<unknown>];

/** What is read for responses without rows, and by jobs. */
export const otherReads: readonly Read[] = [
  ["low balances to top up", (db) => selectLow(db, rowsMax)],
  ["months that are over", (db) => selectOverdue(db, new Date(), rowsMax)],
  ["renewals whose members have left", (db) => selectLeft(db, rowsMax)],
  ["errors of the last minutes by channel", (db) => countErrors(db, 5)],
  ["speed of models on the public page", (db) => readPublicPerformance(db, Date.now())],
  ["a key's account by day, of 366 days", (db) => selectDays(db, first, { fromDay: dayAgo(365), toDay: dayAgo(0) })],
  ["what a key's account spent by day, week and month", (db) => selectSpans(db, first, new Date())],
  ["preview: calls of a model", (db) => countCallsOfModel(db, "model-3")],
  ["preview: calls of a key", (db) => countCallsOfKey(db, 1n)],
  ["preview: calls of an account", (db) => countCallsOfAccount(db, 1n)],
  ["preview: calls of a channel", (db) => countCallsOfChannel(db, 5n)],
  ["preview: a model's price by account", (db) => readEffect(db, true)],
  ["preview: a model's price by call", (db) => readEffect(db, false)],
  ["preview: a group's multiplier", (db) => readGroupEffect(db, "default", { days: 30, from: 1n, to: 2n })],
];

const readEffect = (db: Database, isByToken: boolean) =>
  readModelEffect(db, "model-3", { days: 30, spans: [price], cost: price.cost, isByToken });
