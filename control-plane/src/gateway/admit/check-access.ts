import { type Prices, passThroughModel } from "../../models/model.ts";
import { isAddressAllowed } from "../../platform/address-list.ts";
import { utcDay } from "../../platform/clock.ts";
import { AppError } from "../../platform/errors.ts";
import type { Catalog } from "../catalog.ts";
import { passesThrough } from "../channels/model.ts";
import { keyLocked } from "../keys/model.ts";
import type { GatewayCall, ModelEntry, ParsedRequest, Principal, RequestRefusal } from "../model.ts";
import type { Operation } from "../operations/model.ts";

/**
 * One client makes many calls from the same address; parsing the list again for each call would cost as much as all
 * other checks.
 */
const lastAllowedIp = new WeakMap<Principal, string>();

/**
 * Checks that the key may be used at all, given its owner and the address of the call.
 * @throws AppError `invalid_api_key` (the same for revoked, disabled and expired), `key_locked`,
 * `account_disabled`, `group_unavailable`, `ip_not_allowed`
 */
export function checkKeyState(principal: Principal, clientIp: string, nowMs: number): void {
  const isExpired = principal.expiresAtMs !== null && principal.expiresAtMs <= nowMs;
  if (principal.keyStatus !== "active" || isExpired) {
    throw new AppError("invalid_api_key", { internal: { keyStatus: principal.keyStatus, isExpired } });
  }
  if (principal.lockReason !== null) {
    throw keyLocked(principal.lockReason);
  }
  if (!principal.isUserEnabled) {
    throw new AppError("account_disabled");
  }
  if (!principal.hasGroup) {
    throw new AppError("group_unavailable", {
      message: `This API key uses the group '${principal.groupName}', which your account does not have. Choose another group for the key.`,
    });
  }
  if (principal.allowedIps !== null && lastAllowedIp.get(principal) !== clientIp) {
    if (!isAddressAllowed(clientIp, principal.allowedIps)) {
      throw new AppError("ip_not_allowed", { internal: { clientIp } });
    }
    lastAllowedIp.set(principal, clientIp);
  }
}

/**
 * The catalog entry of the model. Unknown, disabled, and disallowed models get the same response; one that has ended names
 * its replacement.
 * @throws AppError `model_not_found`, `model_ended`
 */
export function checkModelAccess(
  principal: Principal,
  model: string,
  models: ReadonlyMap<string, ModelEntry>,
  nowMs: number,
): ModelEntry {
  const entry = model === passThroughModel ? undefined : models.get(model);
  if (entry === undefined || (principal.allowedModels !== null && !principal.allowedModels.has(model))) {
    throw new AppError("model_not_found", { param: "model" });
  }
  refuseEnded(entry, nowMs, "model");
  return entry;
}

/** @throws AppError `model_ended`, which names the replacement */
export function refuseEnded(entry: ModelEntry, nowMs: number, param: string): void {
  if (hasEnded(entry, nowMs)) {
    const end = `The model '${entry.name}' ended on ${utcDay(entry.sunsetAtMs ?? nowMs)}.`;
    const instead = entry.replacement === null ? "" : ` Use '${entry.replacement}' instead.`;
    throw new AppError("model_ended", { message: `${end}${instead}`, param });
  }
}

/** Whether a model has reached its sunset. */
export function hasEnded({ sunsetAtMs }: Pick<ModelEntry, "sunsetAtMs">, nowMs: number): boolean {
  return sunsetAtMs !== null && sunsetAtMs <= nowMs;
}

/**
 * The catalog entry for paths that are passed through without rules of their own. It exists only if the group has a
 * channel for such paths; for everyone else the path does not exist.
 * @throws AppError `not_found`
 */
export function checkPassThrough(
  principal: Principal,
  catalog: Catalog,
  call: Pick<GatewayCall, "method" | "path">,
): ModelEntry {
  const { allowedModels, groupName } = principal;
  const entry = catalog.models.get(passThroughModel);
  const serving = catalog.abilities.get(groupName)?.get(passThroughModel) ?? [];
  const isServed = serving.some(({ channel }) => passesThrough(channel, call));
  if (entry === undefined || !isServed || (allowedModels !== null && !allowedModels.has(passThroughModel))) {
    throw new AppError("not_found");
  }
  return entry;
}

/** Whether the prices include one that the operation is charged by. */
export function isPriced(price: Prices, { soldBy }: Pick<Operation, "soldBy">): boolean {
  return soldBy?.some((unit) => price[unit] > 0) ?? true;
}

/**
 * Checks that the model has a price for what the call uses. If images have a flat price, an option that makes them more
 * expensive has none.
 * @throws AppError `unpriced_option`
 */
export function checkPrice(
  { pictureOption: param }: Pick<ParsedRequest, "pictureOption">,
  { price }: ModelEntry,
  operation: Pick<Operation, "soldBy">,
): void {
  if (param !== null && price.image > 0 && price.output === 0) {
    throw new AppError("unpriced_option", {
      message: `This model has a single price per image, which does not cover this value of '${param}'.`,
      param,
    });
  }
  if (!isPriced(price, operation)) {
    throw new AppError("unpriced_option", { message: "This model has no price for audio.", param: "model" });
  }
}

/** Why no channel gets a request as it is; null if any may. */
export function refusalOf(
  { refusal, bounds }: Pick<ParsedRequest, "refusal" | "bounds">,
  { price }: Pick<ModelEntry, "price">,
): RequestRefusal | null {
  if (refusal !== undefined) {
    return refusal;
  }
  return (bounds.searches ?? 0) > 0 && price.search === 0 ? unpricedSearch : null;
}

const unpricedSearch: RequestRefusal = {
  code: "unpriced_option",
  message:
    "Web search is not offered for this model: providers charge for each search, and the model has no price for one.",
  param: "tools",
};
