import { expect, test } from "bun:test";
import { givesAdminsMore } from "@sluice/control-plane/admin/settings/model.ts";

test.each([
  ["admin.second_person_above_usd", 50, 0, true],
  ["admin.second_person_above_usd", 50, 51, true],
  ["admin.second_person_above_usd", 50, 49, false],
  ["admin.second_person_above_usd", 50, 50, false],
  ["admin.second_person_above_usd", 0, 1_000_000, false],
  ["admin.second_factor_required", true, false, true],
  ["admin.second_factor_required", false, true, false],
  ["admin.adjust_usd_max", 20, 21, true],
  ["admin.adjust_usd_max", 20, 0, false],
  ["admin.fresh_login_minutes", 60, 61, true],
  ["cache.price_basis_points", 1_000, 999, true],
  ["cache.price_basis_points", 1_000, 1_001, false],
  ["cache.responses", false, true, true],
  ["trace.payload_reads_per_hour", 30, 1_000, false],
] as const)("a change of %s from %p to %p lets one admin alone do more: %p", (name, before, after, isMore) => {
  expect(givesAdminsMore(name, before, after)).toBe(isMore);
});
