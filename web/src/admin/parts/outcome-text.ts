import type { waitingResponse } from "@sluice/contracts/approvals";
import type { ResponseOf } from "@sluice/contracts/wire";
import { t } from "../translate.ts";

export type Approval = ResponseOf<typeof waitingResponse>["approval"];

/** Shown when an act waits for a second super-admin. */
export function waitingText({ approval_id: id }: Approval): string {
  return t("Nothing has changed yet: request {id} is waiting for another super-admin's approval.", { id });
}

/** The result of an action that may wait for a second super-admin. */
export function outcomeText<Done extends object>(
  answer: Done | ResponseOf<typeof waitingResponse>,
  doneText: (done: Done) => string,
): string {
  return "approval" in answer ? waitingText(answer.approval) : doneText(answer);
}
