export type LogLevel = "debug" | "info" | "warn" | "error";
export type LogFields = Record<string, unknown>;

export interface Log {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
  with(fields: LogFields): Log;
}

const order: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 };

/**
 * The last filter before a line leaves the process: nothing that looks like a credential passes, wherever it came from.
 */
const credentialForms: readonly [RegExp, string][] = [
  [/\bsk-[A-Za-z0-9_-]{6,}/g, "sk-[redacted]"],
  [/\bsl-mgmt-[A-Za-z0-9]{6,}/g, "sl-mgmt-[redacted]"],
  [/\b(sk|rk|whsec)_[A-Za-z0-9_]{6,}/g, "$1_[redacted]"],
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{6,}/gi, "$1 [redacted]"],
  // Tokens that are made from credentials.
  [/\beyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_.-]{6,}/g, "[redacted]"],
  [/\bya29\.[A-Za-z0-9_.-]{6,}/g, "[redacted]"],
  [/\b(postgres(?:ql)?:\/\/[^:/@\s]+:)[^@\s]+@/gi, "$1[redacted]@"],
];
const credentialParameter: readonly [RegExp, string] = [
  /\b(key|token|secret|password|api_key)=[^&\s"]+/gi,
  "$1=[redacted]",
];

/** Removes everything that looks like a credential from a text. */
export function redact(text: string): string {
  const [parameter, replacement] = credentialParameter;
  return redactForms(text).replace(parameter, replacement);
}

/** Removes what has the form of a credential, but leaves `key=...`, which in a program is rarely one. */
export function redactForms(text: string): string {
  let clean = text;
  for (const [pattern, replacement] of credentialForms) {
    clean = clean.replace(pattern, replacement);
  }
  return clean;
}

/** A value as a line of the log shows it. */
export function plain(value: unknown): unknown {
  if (value instanceof Error) {
    return { name: value.name, message: value.message, stack: value.stack, cause: plain(value.cause) };
  }
  return typeof value === "bigint" ? value.toString() : value;
}

/** JSON lines with time, level and event; line breaks and control characters are escaped by the encoding itself. */
export function createLog(level: LogLevel, write: (line: string) => void, bound: LogFields = {}): Log {
  const emit = (at: LogLevel, event: string, fields: LogFields = {}) => {
    if (order[at] < order[level]) {
      return;
    }
    const line = JSON.stringify({ time: new Date().toISOString(), level: at, event, ...bound, ...fields }, (_, value) =>
      plain(value),
    );
    write(`${redact(line)}\n`);
  };
  return {
    debug: (event, fields) => emit("debug", event, fields),
    info: (event, fields) => emit("info", event, fields),
    warn: (event, fields) => emit("warn", event, fields),
    error: (event, fields) => emit("error", event, fields),
    with: (fields) => createLog(level, write, { ...bound, ...fields }),
  };
}
