export type LogLevel = "debug" | "info" | "warn" | "error";
export type LogFields = Record<string, string | number | boolean | null | readonly string[] | undefined>;

export interface Log {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

const order: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 };

/** The last filter before a line leaves the process, for anything else that looks like a credential. */
const credentialPatterns: readonly [RegExp, string][] = [
  [/\bsk-[A-Za-z0-9_-]{6,}/g, "sk-[redacted]"],
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{6,}/gi, "$1 [redacted]"],
];

/**
 * JSON lines with time, level, event and node code. The callers name each field, and every text in `withheld` (provider
 * keys and hosts, relay keys) is removed from the line wherever it came from.
 */
export function createLog(options: {
  readonly level: LogLevel;
  readonly write: (line: string) => void;
  readonly bound: LogFields;
  readonly withheld: () => readonly string[];
}): Log {
  const emit = (at: LogLevel, event: string, fields: LogFields = {}) => {
    if (order[at] < order[options.level]) {
      return;
    }
    let line = JSON.stringify({ time: new Date().toISOString(), level: at, event, ...options.bound, ...fields });
    for (const text of options.withheld()) {
      line = line.replaceAll(text, "[withheld]");
    }
    for (const [pattern, replacement] of credentialPatterns) {
      line = line.replace(pattern, replacement);
    }
    options.write(`${line}\n`);
  };
  return {
    debug: (event, fields) => emit("debug", event, fields),
    info: (event, fields) => emit("info", event, fields),
    warn: (event, fields) => emit("warn", event, fields),
    error: (event, fields) => emit("error", event, fields),
  };
}
