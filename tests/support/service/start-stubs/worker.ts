/** Replaces the control plane in tests of starting and stopping. */
const { PORT, HOST, WORKER_INDEX, SANDBOX_URL, STUB_FAIL, BUN_JSC_forceRAMSize: memory } = process.env;

if (STUB_FAIL === "1") {
  process.stderr.write("no money, no work\n");
  process.exit(3);
}

const server = Bun.serve({
  port: Number(PORT),
  hostname: HOST ?? "127.0.0.1",
  reusePort: true,
  idleTimeout: 0,
  async fetch(request) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/slow") {
      process.stdout.write("slow call began\n");
      await Bun.sleep(Number(searchParams.get("ms")));
    }
    return Response.json({ pid: process.pid, worker: WORKER_INDEX, sandbox: SANDBOX_URL ?? null, memory });
  },
});
process.stdout.write(`worker ${WORKER_INDEX} is up\n`);

process.on("SIGTERM", () => {
  void server.stop().then(() => {
    process.stdout.write("worker drained\n");
    process.exit(0);
  });
});
