/** Runs the sandbox provider as a separate program. */
import { readCommandLine } from "./command-line.ts";
import type { SandboxProvider } from "./sandbox.ts";
import { type SandboxOptions, startSandboxProvider } from "./server.ts";

const command = readCommandLine(process.argv.slice(2), process.env);
if (command.kind === "help") {
  console.log(command.text);
} else if (command.kind === "mistake") {
  console.error(command.text);
  process.exitCode = 2;
} else {
  run(command.options, command.exitsWithParent);
}

function run(options: SandboxOptions, exitsWithParent: boolean): void {
  let provider: SandboxProvider;
  try {
    provider = startSandboxProvider(options);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    console.error(`The sandbox provider cannot listen on ${options.hostname} port ${options.port}: ${reason}`);
    process.exitCode = 1;
    return;
  }
  let isStopping = false;
  const stop = (): void => {
    if (!isStopping) {
      isStopping = true;
      process.stdin.pause();
      provider.stop().then(
        () => process.exit(0),
        () => process.exit(1),
      );
    }
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  if (exitsWithParent) {
    // The parent holds the other end of stdin; the kernel closes it even after a kill -9.
    process.stdin.on("end", stop);
    process.stdin.on("error", stop);
    process.stdin.resume();
  }
  console.log(JSON.stringify({ event: "ready", url: provider.url, port: provider.port }));
}
