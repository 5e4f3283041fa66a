import type { KnownLines } from "./response-head.ts";

/** The server that connections lead to; these are interchangeable. */
export type DestinationOf<Connection> = {
  readonly key: string;
  readonly protocol: "http:" | "https:";
  readonly hostname: string;
  readonly port: number;
  readonly address: string | null;
  /** The value of the Host header. */
  readonly host: string;
  readonly tls: Bun.TLSOptions | null;
  /** Of its last response: one copy for all connections stays in the caches of a core. */
  readonly lines: KnownLines;
  /** The idle connections, sorted by how long they have been idle. */
  readonly idle: Connection[];
  open: number;
  /** Attempts to connect that continue although their users left, oldest first. */
  abandoned: Connection[];
};
