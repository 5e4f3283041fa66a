/** Clients in Python: a process for each library, which has the conversations that it is sent as lines of JSON. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Ask,
  outputTokensMax,
  picture,
  type SeenTurn,
  systemText,
  thinkingTokensMax,
  toolName,
  toolResult,
  toolSchema,
  toolText,
} from "./model.ts";

const words = {
  ...{ outputTokensMax, picture, systemText, thinkingTokensMax, toolName, toolResult, toolSchema, toolText },
};

type Reply = {
  readonly id: number;
  readonly turns?: readonly SeenTurn[];
  readonly error?: { readonly status: number | null; readonly message: string };
};

/** What the client has raised. */
class PythonError extends Error {
  readonly status: number | null;

  constructor({ status, message }: NonNullable<Reply["error"]>) {
    super(message);
    this.name = "PythonError";
    this.status = status;
  }
}

export class PythonClient {
  readonly #folder: string;
  readonly #child: Bun.Subprocess<"pipe", "pipe", "pipe">;
  readonly #waiting = new Map<number, PromiseWithResolvers<readonly SeenTurn[]>>();
  readonly #errors: Promise<string>;
  #asked = 0;

  private constructor(folder: string, command: string[]) {
    this.#folder = folder;
    this.#child = Bun.spawn(command, {
      // Nothing but the calls of the model may leave the client.
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: folder,
        LITELLM_LOCAL_MODEL_COST_MAP: "True",
        LANGSMITH_TRACING: "false",
        PYTHONDONTWRITEBYTECODE: "1",
      },
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
    });
    this.#errors = this.#child.stderr.text();
    void this.#read();
  }

  /** @param python the interpreter that has the library; @param script a file in `python/` */
  static async start(python: string, script: string): Promise<PythonClient> {
    const folder = await mkdtemp(join(tmpdir(), "sluice-python-"));
    const wordsFile = join(folder, "words.json");
    await Bun.write(wordsFile, JSON.stringify(words));
    return new PythonClient(folder, [python, join(import.meta.dir, "python", script), wordsFile]);
  }

  converse(client: string, ask: Ask): Promise<readonly SeenTurn[]> {
    const waiting = Promise.withResolvers<readonly SeenTurn[]>();
    const id = this.#asked;
    this.#asked += 1;
    this.#waiting.set(id, waiting);
    this.#child.stdin.write(`${JSON.stringify({ id, client, ask })}\n`);
    this.#child.stdin.flush();
    return waiting.promise;
  }

  async #read(): Promise<void> {
    let rest = "";
    const decoder = new TextDecoder();
    for await (const part of this.#child.stdout) {
      const lines = (rest + decoder.decode(part, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines.filter((one) => one.startsWith("{"))) {
        this.#settle(JSON.parse(line) as Reply);
      }
    }
    const errors = await this.#errors;
    for (const waiting of this.#waiting.values()) {
      waiting.reject(new Error(`the client has ended: ${errors.slice(-1_000)}`));
    }
  }

  #settle({ id, turns, error }: Reply): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) {
      waiting?.resolve(turns ?? []);
    } else {
      waiting?.reject(new PythonError(error));
    }
  }

  /** Ends the process by the end of its input. */
  async close(): Promise<void> {
    await this.#child.stdin.end();
    await this.#child.exited;
    await rm(this.#folder, { recursive: true, force: true });
  }
}
