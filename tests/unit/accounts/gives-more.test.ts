import { describe, expect, test } from "bun:test";
import { givesMore } from "@sluice/control-plane/accounts/registration/gives-more.ts";
import type { RegistrationRules } from "@sluice/control-plane/accounts/registration/registration-store.ts";

const rules: RegistrationRules = {
  mode: "domains",
  domains: ["example.org", "example.com"],
  refusedDomains: ["spam.example"],
  proofBits: 16,
  creditQuota: 1_000n,
  creditsPerNetworkDay: 3,
  creditsPerNetwork: 20,
  creditsPerDeviceDay: 1,
  creditsPerDevice: 1,
  creditsPerDay: 100,
  updatedAt: new Date(0),
};

describe("newcomers may get more credit", () => {
  test.each<[string, Partial<RegistrationRules>]>([
    ["each gets more", { creditQuota: 1_001n }],
    ["a limit is raised", { creditsPerDay: 101 }],
    ["a limit is removed", { creditsPerNetwork: 0 }],
    ["everybody may register", { mode: "open" }],
    ["another domain is admitted", { domains: ["example.org", "example.com", "example.net"] }],
    ["a domain is no longer refused", { refusedDomains: [] }],
    ["less work is needed", { proofBits: 15 }],
  ])("if %s", (_, change) => {
    expect(givesMore(rules, { ...rules, ...change })).toBe(true);
  });
});

describe("newcomers get no more credit", () => {
  test.each<[string, Partial<RegistrationRules>]>([
    ["nothing changes", {}],
    ["each gets less", { creditQuota: 999n }],
    ["a limit is lowered", { creditsPerDay: 1 }],
    ["only the invited may register", { mode: "invitation" }],
    ["a domain is taken from the list", { domains: ["example.org"] }],
    ["another domain is refused", { refusedDomains: ["spam.example", "junk.example"] }],
    ["more work is needed", { proofBits: 17 }],
    ["there is none", { creditQuota: 0n, mode: "open", creditsPerDay: 0 }],
  ])("if %s", (_, change) => {
    expect(givesMore(rules, { ...rules, ...change })).toBe(false);
  });
});
