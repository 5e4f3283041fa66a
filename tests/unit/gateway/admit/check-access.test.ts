import { describe, expect, test } from "bun:test";
import {
  checkKeyState,
  checkModelAccess,
  checkPassThrough,
  checkPrice,
  refusalOf,
} from "@sluice/control-plane/gateway/admit/check-access.ts";
import { type Catalog, emptyCatalog } from "@sluice/control-plane/gateway/catalog.ts";
import type { ModelEntry, ParsedRequest, Principal } from "@sluice/control-plane/gateway/model.ts";
import { AppError } from "@sluice/control-plane/platform/errors.ts";
import { abilityOf, channelOf } from "../../../support/calls/channel-fixtures.ts";
import { operationOf, type ShortName } from "../../../support/calls/operations.ts";

const nowMs = 1_000_000;
const address = "203.0.113.8";

const principalOf = (more: Partial<Principal> = {}): Principal =>
  ({
    keyStatus: "active",
    lockReason: null,
    expiresAtMs: null,
    isUserEnabled: true,
    allowedIps: null,
    allowedModels: null,
    groupName: "default",
    hasGroup: true,
    ...more,
  }) as Principal;

const codeOf = (check: () => unknown): string | null => {
  try {
    check();
    return null;
  } catch (error) {
    return error instanceof AppError ? error.code : "thrown";
  }
};

describe("a key", () => {
  const stateOf = (more: Partial<Principal>, ip = address) => codeOf(() => checkKeyState(principalOf(more), ip, nowMs));

  test("is valid while it and its user are active", () => {
    expect(stateOf({})).toBeNull();
    expect(stateOf({ keyStatus: "disabled" })).toBe("invalid_api_key");
    expect(stateOf({ keyStatus: "revoked" })).toBe("invalid_api_key");
    expect(stateOf({ isUserEnabled: false })).toBe("account_disabled");
  });

  test("expires at its time, not after it", () => {
    expect(stateOf({ expiresAtMs: nowMs + 1 })).toBeNull();
    expect(stateOf({ expiresAtMs: nowMs })).toBe("invalid_api_key");
  });

  test("reveals nothing about its user when it is invalid itself", () => {
    expect(stateOf({ keyStatus: "revoked", isUserEnabled: false })).toBe("invalid_api_key");
  });

  test("is valid from the addresses of its list, and from no other", () => {
    expect(stateOf({ allowedIps: [address] })).toBeNull();
    expect(stateOf({ allowedIps: [address] }, "203.0.113.9")).toBe("ip_not_allowed");
    expect(stateOf({ allowedIps: [] })).toBe("ip_not_allowed");
  });

  test("is checked again for another address, even after a valid one", () => {
    const principal = principalOf({ allowedIps: [address] });
    const from = (ip: string) => codeOf(() => checkKeyState(principal, ip, nowMs));
    expect([from(address), from("203.0.113.9"), from(address), from("203.0.113.9")]).toEqual([
      null,
      "ip_not_allowed",
      null,
      "ip_not_allowed",
    ]);
  });

  test("is checked again after its list has changed", () => {
    expect(stateOf({ allowedIps: [address] })).toBeNull();
    expect(stateOf({ allowedIps: ["203.0.113.9"] })).toBe("ip_not_allowed");
  });
});

describe("a model with an end", () => {
  const endsAt = Date.UTC(2026, 11, 31);
  const until = (replacement: string | null) =>
    new Map([["old", { name: "old", sunsetAtMs: endsAt, replacement } as ModelEntry]]);
  const asked = (replacement: string | null, at: number) => () =>
    checkModelAccess(principalOf(), "old", until(replacement), at);

  test("is open until then", () => {
    expect(asked(null, endsAt - 1)().name).toBe("old");
  });

  test("is refused from then on, naming its replacement if there is one", () => {
    expect(asked("new", endsAt)).toThrow("The model 'old' ended on 2026-12-31. Use 'new' instead.");
    expect(asked(null, endsAt)).toThrow(/ended on 2026-12-31\.$/);
  });

  test("is not named to a key that may not use it", () => {
    const principal = principalOf({ allowedModels: new Set(["other"]) });
    expect(() => checkModelAccess(principal, "old", until("new"), endsAt)).toThrow("does not exist, or");
  });
});

describe("a model", () => {
  const entry = { name: "m" } as ModelEntry;
  const models = new Map([
    ["m", entry],
    ["*", { name: "*" } as ModelEntry],
  ]);
  const accessTo = (model: string, allowedModels: readonly string[] | null) => {
    const allowed = allowedModels === null ? null : new Set(allowedModels);
    return codeOf(() => checkModelAccess(principalOf({ allowedModels: allowed }), model, models, nowMs));
  };

  test("that exists is open to keys without a list, and to those that name it", () => {
    expect(checkModelAccess(principalOf(), "m", models, nowMs)).toBe(entry);
    expect([accessTo("m", ["m"]), accessTo("m", ["other"]), accessTo("m", [])]).toEqual([
      null,
      "model_not_found",
      "model_not_found",
    ]);
  });

  test("that does not exist looks like one that the key may not use", () => {
    expect(accessTo("other", null)).toBe("model_not_found");
    expect(accessTo("other", ["other"])).toBe("model_not_found");
  });

  test("is never the entry of passed-through paths", () => {
    expect(accessTo("*", null)).toBe("model_not_found");
    expect(accessTo("*", ["*"])).toBe("model_not_found");
  });
});

describe("a passed-through path", () => {
  const entry = { name: "*" } as ModelEntry;
  const channel = channelOf(1, { passThroughPaths: new Set(["GET /v1/files"]) });
  const catalog: Catalog = {
    ...emptyCatalog,
    models: new Map([["*", entry]]),
    abilities: new Map([["default", new Map([["*", [abilityOf(channel)]]])]]),
  };
  const call = { method: "GET", path: "/v1/files" };
  const accessOf = (more: Partial<Principal>, from: Catalog, to = call) =>
    codeOf(() => checkPassThrough(principalOf(more), from, to));

  test("is open to the groups that a channel serves, and to keys without a model list", () => {
    expect(checkPassThrough(principalOf(), catalog, call)).toBe(entry);
    expect(accessOf({ groupName: "other" }, catalog)).toBe("not_found");
    expect(accessOf({ allowedModels: new Set(["m"]) }, catalog)).toBe("not_found");
    expect(accessOf({ allowedModels: new Set(["*"]) }, catalog)).toBeNull();
    expect(accessOf({}, { ...catalog, models: new Map() })).toBe("not_found");
  });

  test("is one that a channel of the group passes through, by its method", () => {
    expect(accessOf({}, catalog, { ...call, method: "POST" })).toBe("not_found");
    expect(accessOf({}, catalog, { ...call, path: "/v1/vector_stores" })).toBe("not_found");
  });
});

test("an option that makes images more expensive is offered only if they have no flat price", () => {
  const check = (pictureOption: string | null, image: number, output: number) =>
    codeOf(() =>
      checkPrice(
        { pictureOption, bounds: {} } as ParsedRequest,
        { price: { image, output } } as ModelEntry,
        operationOf("images"),
      ),
    );
  expect(check("quality", 1, 0)).toBe("unpriced_option");
  expect(check("quality", 1, 1)).toBeNull();
  expect(check("quality", 0, 1)).toBeNull();
  expect(check(null, 1, 0)).toBeNull();
});

test("a web search is offered only by models that have a price for it", () => {
  const check = (searches: number | undefined, search: number) =>
    refusalOf({ bounds: { searches } } as ParsedRequest, { price: { search } } as ModelEntry)?.code ?? null;
  expect(check(5, 0)).toBe("unpriced_option");
  expect(check(5, 1)).toBeNull();
  expect(check(undefined, 0)).toBeNull();
});

describe("audio is offered by models that have a price for it", () => {
  const units = ["input", "output", "audio", "request", "image"] as const;
  const check = (name: ShortName, priced: (typeof units)[number] | null) => {
    const price = Object.fromEntries(units.map((unit) => [unit, unit === priced ? 1 : 0]));
    return codeOf(() =>
      checkPrice(
        { pictureOption: null, bounds: {} } as ParsedRequest,
        { price } as unknown as ModelEntry,
        operationOf(name),
      ),
    );
  };

  test.each([
    ["transcription", ["input", "output", "audio", "request"]],
    ["speech", ["input", "request"]],
    ["chat", [...units, null]],
  ] as const)("as %s by %p", (kind, offered) => {
    const all = [...units, null];
    expect(all.filter((priced) => check(kind, priced) === null)).toEqual(
      all.filter((priced) => (offered as readonly unknown[]).includes(priced)),
    );
    expect(all.map((priced) => check(kind, priced)).filter((code) => code !== null)).toEqual(
      Array.from({ length: all.length - offered.length }, () => "unpriced_option"),
    );
  });
});
