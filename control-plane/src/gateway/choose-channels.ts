import { AppError } from "../platform/errors.ts";
import { refusalOf } from "./admit/check-access.ts";
import type { Choice } from "./attempt-plan.ts";
import type { Ability } from "./channels/model.ts";
import { allowExitNodes, findExitNodes } from "./dispatch/allow-exit-nodes.ts";
import { allowPassThrough } from "./dispatch/allow-pass-through.ts";
import { boundPatience } from "./dispatch/bound-silence.ts";
import { nameConversation } from "./dispatch/name-conversation.ts";
import type { AdmittedCall, RequestRefusal } from "./model.ts";
import type { Operation } from "./operations/model.ts";
import type { PipelineDeps } from "./pipeline-deps.ts";
import { canServe } from "./upstreams/conversions.ts";

type ChoosingDeps = Pick<PipelineDeps, "catalog" | "upstreamLimits" | "isSentRetried">;

/** The channels that serve the call's model to its user, whatever they speak. */
export function findServing({ catalog }: Pick<ChoosingDeps, "catalog">, state: AdmittedCall): readonly Ability[] {
  const { abilities } = catalog();
  const serving = abilities.get(state.principal.groupName)?.get(state.model.name) ?? [];
  state.exitNodes = findExitNodes(catalog(), state);
  return allowExitNodes(serving, state.exitNodes);
}

/** The channels for the call's model, and how they are tried. */
export function chooseChannels(deps: ChoosingDeps, state: AdmittedCall, operation: Operation): Choice {
  const nodes = findServing(deps, state);
  const passing = operation.handling === "pass" ? allowPassThrough(nodes, state.call) : nodes;
  const { dialect } = operation;
  const refusal = refusalOf(state.request, state.model);
  const abilities = ableToServe(passing, operation, refusal !== null);
  const { upstreamLimits, isSentRetried } = deps;
  // A path without rules of its own may create something at a provider, which must not happen twice.
  const isAgain = isSentRetried && operation.handling !== "pass";
  const { attemptMs, callMs } = boundPatience(state, operation, upstreamLimits);
  const rule = { attemptMs, callMs, isSentRetried: isAgain };
  return { abilities, rule, dialect, conversation: hasChoice(abilities) ? nameConversation(state) : null };
}

/**
 * The abilities whose channels can serve an operation.
 * @param isConverted only by a conversion, which leaves out what no provider may get
 */
function ableToServe(abilities: readonly Ability[], operation: Operation, isConverted: boolean): readonly Ability[] {
  for (const ability of abilities) {
    if (!serves(ability, operation, isConverted)) {
      return abilities.filter((one) => serves(one, operation, isConverted));
    }
  }
  return abilities;
}

function serves({ channel }: Ability, operation: Operation, isConverted: boolean): boolean {
  return canServe(channel, operation) && !(isConverted && channel.endpoints.has(operation.dialect));
}

/** Whether two calls may go to different places. */
function hasChoice(abilities: readonly Ability[]): boolean {
  return abilities.length > 1 || (abilities[0]?.channel.credentials.length ?? 0) > 1;
}

const wrongApiMessage = "This model can't be called through this API: its providers speak other APIs.";

/**
 * @param isOfOtherApi channels have the model, but can't be called like this
 * @throws AppError why no channel is asked, if that is the request's fault
 */
export function refuseUnserved(refusal: RequestRefusal | null, isOfOtherApi: boolean): void {
  if (refusal !== null) {
    const { code, message, param } = refusal;
    throw new AppError(code, { message, ...(param === null ? {} : { param }) });
  }
  if (isOfOtherApi) {
    throw new AppError("invalid_value", { message: wrongApiMessage, param: "model" });
  }
}
