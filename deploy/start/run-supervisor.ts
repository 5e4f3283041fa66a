import { watchLauncher } from "./launcher.ts";
import type { StartSettings } from "./settings.ts";
import { StartError } from "./start-error.ts";
import { Supervisor } from "./supervisor.ts";

const forcedExitCode = 130;
/** One Ctrl-C can arrive more than once: from the terminal, and again from the programs that started this one. */
const samePressMs = 500;

/**
 * Runs the service until it is asked to stop: SIGINT (Ctrl-C), SIGTERM or SIGHUP drain it, as does the end of the
 * command that started it; a second signal ends everything immediately.
 * @returns the exit code of the program
 */
export async function runSupervisor(settings: StartSettings): Promise<number> {
  const supervisor = new Supervisor(settings);
  const stopped = Promise.withResolvers<number>();
  let isStopping = false;
  let firstSignalAt = 0;
  let exitCode = 0;
  const onSignal = (): void => {
    if (firstSignalAt > 0) {
      if (performance.now() - firstSignalAt < samePressMs) {
        return;
      }
      process.stderr.write("\nstopping at once\n");
      exitCode = forcedExitCode;
      void supervisor.kill().finally(() => process.exit(forcedExitCode));
      return;
    }
    firstSignalAt = performance.now();
    if (isStopping) {
      return;
    }
    isStopping = true;
    process.stderr.write("\n");
    supervisor.stop().then(() => stopped.resolve(exitCode), stopped.reject);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, onSignal);
  }
  watchLauncher(onSignal);
  try {
    await supervisor.start();
  } catch (error) {
    if (!isStopping) {
      isStopping = true;
      // While the database still runs.
      const causes = error instanceof StartError ? await supervisor.explainFailure() : "";
      await supervisor.stop();
      if (error instanceof StartError) {
        process.stderr.write(`\n${error.message}\n${causes}`);
        return 1;
      }
      throw error;
    }
  }
  return await stopped.promise;
}
