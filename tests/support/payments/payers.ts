import { join } from "node:path";
import type { PaidNotice, SettleResult } from "@sluice/control-plane/payments/model.ts";
import type { BillingDeps, FaultPoint } from "@sluice/control-plane/payments/port.ts";
import { type SettleOptions, settlePaid } from "@sluice/control-plane/payments/settle/settle-paid.ts";

const program = join(import.meta.dir, "payer-process.ts");

/** Sends a notice several times at once from a separate process; null when that was killed before it could respond. */
export async function payFromProcess(
  url: string,
  notice: PaidNotice,
  { times, diesAt = null }: { readonly times: number; readonly diesAt?: FaultPoint | null },
): Promise<SettleResult[] | null> {
  const order = JSON.stringify({ url, notice, times, diesAt });
  const child = Bun.spawn([process.execPath, program, order], { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [text, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  const code = await child.exited;
  if (child.signalCode === "SIGKILL") {
    return null;
  }
  if (code !== 0) {
    throw new Error(`the payer ended with ${code}: ${errors}`);
  }
  return JSON.parse(text) as SettleResult[];
}

/** A gateway that resends its notice until it is acknowledged: a lock may be held for longer than a request waits for it. */
export async function deliverUntilTaken(
  deps: BillingDeps,
  notice: PaidNotice,
  options: SettleOptions = {},
): Promise<SettleResult> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await settlePaid(deps, notice, options);
    } catch (error) {
      if (attempt >= 20) {
        throw error;
      }
      await Bun.sleep(10 * attempt);
    }
  }
}
