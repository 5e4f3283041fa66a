import { asObject, type Json } from "./units.ts";

/** Whether the choices of a response, or of an event, say that the model behind them failed. */
export function hasFailedChoice(choices: unknown): boolean {
  return Array.isArray(choices) && choices.some(isFailed);
}

/** The first object in a list, as which some providers send an error; any other value as it is. */
export function firstOfList(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : value;
}

/**
 * The object that contains the error of a payload: the first of a list, a nested response, the choice that failed, or
 * the payload itself.
 */
export function errorPlace(payload: unknown): Json {
  const first = asObject(firstOfList(payload));
  if (first["error"]) {
    return first;
  }
  const { response, choices } = first;
  if (typeof response === "object" && response !== null) {
    return asObject(response);
  }
  return asObject((Array.isArray(choices) ? choices.find(isFailed) : undefined) ?? first);
}

function isFailed(choice: unknown): boolean {
  const { error, finish_reason: reason } = asObject(choice);
  return Boolean(error) || reason === "error";
}
