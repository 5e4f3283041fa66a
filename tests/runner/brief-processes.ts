import { runtimeEnvironment } from "@sluice/deploy/start/runtime-environment";

/**
 * Most processes that a test starts live for seconds, and to compile the functions that they call often takes a third of
 * the processor time of their start: in an ordinary run, a starting process interprets a function twenty times as often
 * before it compiles it. It keeps free pages for a second, as the product does, instead of 50 ms. A full run leaves Bun as it is.
 */
export const briefProcesses: Readonly<Record<string, string>> = {
  BUN_JSC_startupJITDeferralScale: "20",
  MIMALLOC_PURGE_DELAY: runtimeEnvironment().MIMALLOC_PURGE_DELAY,
};

/** What this run has set of them, for a process that gets an environment of its own. */
export function briefVariables(): Record<string, string> {
  const names = Object.keys(briefProcesses);
  return Object.fromEntries(names.flatMap((name) => (name in process.env ? [[name, process.env[name] ?? ""]] : [])));
}
