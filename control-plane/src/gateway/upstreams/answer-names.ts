import type { AdmittedCall, CallTraits } from "../model.ts";

type NamedCall = Pick<AdmittedCall, "call" | "request" | "model" | "askedModel">;

/** What is known about the model of a call; null if another model answers than the one that was asked for. */
export function traitsOf({ call, askedModel }: Pick<NamedCall, "call" | "askedModel">): CallTraits | null {
  return askedModel === null ? (call.traits?.() ?? null) : null;
}

/** The name that a response repeats: the client's own, unless another model answers. */
export function clientModelOf(state: NamedCall): string {
  return traitsOf(state)?.clientModel ?? state.request.model ?? state.model.name;
}

/** A new id without prefix: 24 letters and digits. */
export function makeAnswerId(): string {
  return crypto.randomUUID().replaceAll("-", "").slice(0, 24);
}
