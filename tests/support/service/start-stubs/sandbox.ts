const port = Number(process.argv[process.argv.indexOf("--port") + 1]);
const server = Bun.serve({ port, hostname: "127.0.0.1", fetch: () => new Response("sandbox") });
process.on("SIGTERM", () => process.exit(0));
process.stdout.write(`${JSON.stringify({ event: "ready", url: server.url.origin })}\n`);
