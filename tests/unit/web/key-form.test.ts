import { expect, test } from "bun:test";
import { keyCreateInput, keySaveInput } from "@sluice/contracts/keys";
import {
  checkKey,
  emptyKey,
  toKeyChange,
  toKeyInput,
  toKeyValues,
} from "@sluice/web/src/console/pages/keys/key-fields.ts";
import { messages } from "@sluice/web/src/console/pages/keys/messages/en.ts";
import type { ApiKey } from "@sluice/web/src/console/parts/queries.ts";

const updatedAt = "2026-11-23T05:00:00.123456Z";
const key = {
  key_id: "7",
  name: "laptop",
  quota_limit: 1,
  reset_period: "daily",
  allowed_models: ["a", "b"],
  expires_at: "2026-11-23T06:00:00.000Z",
  allowed_ips: null,
  requests_per_minute: 5,
  tokens_per_minute: null,
  concurrency_max: null,
  is_payload_traced: true,
  is_response_cached: false,
  updated_at: updatedAt,
} as unknown as ApiKey;

test("a form that was not changed changes nothing of a key, however little of its values it shows", () => {
  expect(toKeyChange(toKeyValues(key), key)).toEqual({});
});

test("a key that expired today does not work again because it got another name", () => {
  expect(toKeyChange({ ...toKeyValues(key), name: "desktop" }, key)).toEqual({ name: "desktop" });
});

test("what was changed is sent, and what was emptied is lifted", () => {
  const typed = { ...toKeyValues(key), expires_at: "2027-01-02", allowed_models: "", requests_per_minute: "" };
  const change = toKeyChange(typed, key);
  expect(change).toEqual({ expires_at: "2027-01-02T23:59:59Z", allowed_models: null, requests_per_minute: null });
  expect(keySaveInput.safeParse({ key_id: "7", updated_at: updatedAt, ...change }).success).toBe(true);
});

test("a budget that was emptied takes its period along, whichever was chosen", () => {
  expect(toKeyChange({ ...toKeyValues(key), quota_limit: "" }, key)).toEqual({ quota_limit: null });
  expect(toKeyChange({ ...toKeyValues(key), quota_limit: "", reset_period: "weekly" }, key)).toEqual({
    quota_limit: null,
    reset_period: "none",
  });
});

test("a number of nothing but spaces is not a limit", () => {
  const typed = { ...emptyKey, name: "laptop", requests_per_minute: "  " };
  expect(checkKey(typed, messages)).toEqual({});
  expect(keyCreateInput.parse(toKeyInput(typed)).requests_per_minute).toBeNull();
});
