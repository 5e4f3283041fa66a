import { billingArea } from "./messages/messages.ts";

/** The label of a ledger change type; an unknown one keeps its own name. */
export function changeName(type: string): string {
  const { changeNames } = billingArea.texts();
  return Object.hasOwn(changeNames, type) ? changeNames[type as keyof typeof changeNames] : type;
}
