import { billingArea } from "./messages/messages.ts";

/** What a kind of change of the ledger is called; one without a word keeps its own. */
export function changeName(type: string): string {
  const { changeNames } = billingArea.texts();
  return Object.hasOwn(changeNames, type) ? changeNames[type as keyof typeof changeNames] : type;
}
