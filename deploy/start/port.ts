import { createServer } from "node:net";
import { StartError } from "./start-error.ts";

/**
 * Checks that the service can listen there, before anything else is started.
 * @returns the port, which is a free one if 0 was requested
 * @throws StartError that names the port and the remedy
 */
export async function claimPort(host: string, port: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const server = createServer();
  server.once("error", (error: NodeJS.ErrnoException) => reject(new StartError(explain(error, host, port))));
  server.listen({ host, port, exclusive: true }, () => {
    const address = server.address();
    server.close(() => resolve(typeof address === "object" && address !== null ? address.port : port));
  });
  return await promise;
}

/** Below the ports that systems give to connections and to programs that ask for any port. */
const firstPort = 20_000;
const portCount = 12_000;
const triesMax = 100;

/**
 * A port of 127.0.0.1 that nobody listens on now, and that the system gives to nobody who does not ask for it.
 * @throws StartError when none of a hundred is free
 */
export async function findFreePort(): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await claimPort("127.0.0.1", firstPort + Math.floor(Math.random() * portCount));
    } catch (error) {
      if (tries >= triesMax) {
        throw error;
      }
    }
  }
}

function explain(error: NodeJS.ErrnoException, host: string, port: number): string {
  if (error.code === "EADDRINUSE") {
    return `Port ${port} on ${host} is taken by another program. Choose another one with PORT=${port + 1}, or stop that program.`;
  }
  if (error.code === "EACCES") {
    return `This user can't listen on port ${port}. Choose one above 1023 with PORT=3000.`;
  }
  return `The service can't listen on ${host}, port ${port} (${error.code ?? error.message}). Check HOST and PORT.`;
}
