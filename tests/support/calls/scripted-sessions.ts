/** A provider of realtime sessions that a test controls. */
export type ScriptedSession = {
  /** An event as text, or anything else as it is. */
  send(event: object | string | Uint8Array): void;
  close(code: number, reason?: string): void;
};

export type SessionScript = {
  onOpen?(session: ScriptedSession): void;
  onEvent?(session: ScriptedSession, event: { readonly type: string; readonly [name: string]: unknown }): void;
};

export type ScriptedSessions = {
  readonly url: string;
  /** What this provider's clients sent, in all sessions. */
  readonly heard: readonly { readonly type: string }[];
  /** What happens from now on, even in open sessions. */
  script(script: SessionScript): void;
  stop(): Promise<void>;
};

/** Starts the provider; a session begins with `session.created`. */
export function startScriptedSessions(): ScriptedSessions {
  let script: SessionScript = {};
  const heard: { readonly type: string }[] = [];
  const sessionOf = (socket: Bun.ServerWebSocket<unknown>): ScriptedSession => ({
    send: (event) => {
      if (event instanceof Uint8Array) {
        socket.sendBinary(event as Uint8Array<ArrayBuffer>);
      } else {
        socket.sendText(typeof event === "string" ? event : JSON.stringify(event));
      }
    },
    close: (code, reason) => socket.close(code, reason),
  });
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request, self) =>
      self.upgrade(request, { data: undefined }) ? undefined : new Response(null, { status: 404 }),
    websocket: {
      open: (socket) => {
        sessionOf(socket).send({ type: "session.created", session: { id: "sess_1" } });
        script.onOpen?.(sessionOf(socket));
      },
      message: (socket, message) => {
        const event = JSON.parse(String(message)) as { type: string };
        heard.push(event);
        script.onEvent?.(sessionOf(socket), event);
      },
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    heard,
    script: (next) => {
      script = next;
    },
    stop: () => server.stop(true),
  };
}
