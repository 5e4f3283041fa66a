import { isIP } from "node:net";
import { operationEntries } from "@sluice/contracts/operations";
import type { HttpLimits } from "@sluice/http-client/model";
import { ConfigError } from "./config-error.ts";
import type { LogLevel } from "./log.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The settings from the environment; the secrets themselves are in files that can be reloaded. */
export type Config = {
  readonly nodeCode: string;
  readonly host: string;
  readonly port: number;
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null;
  /** Hosts, with a port if the URL has one, under which challenges may reach this node; empty: any. */
  readonly publicHosts: readonly string[];
  readonly egressAddress: string | null;
  readonly allowedProviderHosts: readonly string[];
  readonly allowedPaths: readonly string[];
  readonly isPrivateUpstreamAllowed: boolean;
  readonly providerCaFile: string | null;
  readonly relayKeysFile: SecretFile;
  readonly providerAccountsFile: SecretFile;
  readonly limits: HttpLimits;
  readonly stallTimeoutMs: number;
  readonly bodyBytesMax: number;
  readonly callsMax: number;
  readonly drainNoticeMs: number;
  readonly drainTimeoutMs: number;
  readonly logLevel: LogLevel;
};

/** systemd protects its credentials with access lists that the file mode does not show. */
export type SecretFile = { readonly path: string; readonly isSystemdCredential: boolean };

const defaultPaths = [
  ...operationEntries.flatMap(([, { path }]) => (path.startsWith("/v1/") ? [path] : [])),
  "/v1/models",
  "/v1/models/*",
];

const nodeCodePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const hostPattern = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?$/;
const pathPattern = /^\/v1\/[A-Za-z0-9._~/-]*\*?$/;
const loopback = /^(127\.|::1$|localhost$)/;

/** Reads the variables one by one and stops at the first invalid one. */
class Reader {
  readonly #env: Environment;

  constructor(env: Environment) {
    this.#env = env;
  }

  text(name: string): string | null {
    const value = this.#env[name]?.trim() ?? "";
    return value === "" ? null : value;
  }

  required(name: string, pattern: RegExp, form: string): string {
    const value = this.text(name);
    if (value === null || !pattern.test(value)) {
      throw new ConfigError(`${name} ${value === null ? "is not set" : "is not valid"}: ${form}.`);
    }
    return value;
  }

  number(name: string, fallback: number, range: readonly [min: number, max: number]): number {
    const text = this.text(name);
    const value = text === null ? fallback : /^[0-9]{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= range[0] && value <= range[1])) {
      throw new ConfigError(`${name} must be a whole number from ${range[0]} to ${range[1]}.`);
    }
    return value;
  }

  flag(name: string): boolean {
    const value = this.text(name) ?? "false";
    if (!["0", "1", "true", "false"].includes(value)) {
      throw new ConfigError(`${name} must be true or false.`);
    }
    return value === "1" || value === "true";
  }

  list(name: string, fallback: readonly string[], pattern: RegExp): readonly string[] {
    const text = this.text(name);
    const values = text === null ? fallback : text.split(",").map((part) => part.trim());
    const wrong = values.find((value) => !pattern.test(value));
    if (wrong !== undefined) {
      throw new ConfigError(`${name} has an entry that is not valid: "${wrong.slice(0, 80)}".`);
    }
    return values;
  }
}

function readTls(reader: Reader, host: string): Config["tls"] {
  const certFile = reader.text("TLS_CERT_FILE");
  const keyFile = reader.text("TLS_KEY_FILE");
  if ((certFile === null) !== (keyFile === null)) {
    throw new ConfigError("TLS_CERT_FILE and TLS_KEY_FILE must be set together.");
  }
  if (certFile !== null && keyFile !== null) {
    return { certFile, keyFile };
  }
  if (!loopback.test(host) && !reader.flag("BEHIND_PROXY")) {
    throw new ConfigError(
      "HOST is open to other machines without TLS: set TLS_CERT_FILE and TLS_KEY_FILE, or BEHIND_PROXY=true where a proxy ends TLS.",
    );
  }
  return null;
}

function readSecretFile(reader: Reader, variable: string, credential: string): SecretFile {
  const path = reader.text(variable);
  if (path !== null) {
    return { path, isSystemdCredential: false };
  }
  const folder = reader.text("CREDENTIALS_DIRECTORY");
  if (folder === null) {
    throw new ConfigError(`${variable} is not set, and there is no systemd credential "${credential}" in its place.`);
  }
  return { path: `${folder}/${credential}`, isSystemdCredential: true };
}

function readLimits(reader: Reader): HttpLimits {
  return {
    connectTimeoutMs: reader.number("UPSTREAM_CONNECT_TIMEOUT_MS", 5_000, [10, 60_000]),
    firstByteTimeoutMs: reader.number("UPSTREAM_FIRST_BYTE_TIMEOUT_MS", 600_000, [10, 3_600_000]),
    idleTimeoutMs: reader.number("UPSTREAM_IDLE_TIMEOUT_MS", 120_000, [10, 3_600_000]),
    totalTimeoutMs: reader.number("UPSTREAM_TOTAL_TIMEOUT_MS", 1_800_000, [10, 7_200_000]),
    responseBytesMax: reader.number("UPSTREAM_RESPONSE_BYTES_MAX", 1024 ** 3, [1_024, 16 * 1024 ** 3]),
  };
}

function readEgressAddress(reader: Reader): string | null {
  const address = reader.text("EGRESS_ADDRESS");
  if (address !== null && isIP(address) === 0) {
    throw new ConfigError("EGRESS_ADDRESS must be an IP address of this host.");
  }
  return address;
}

function readLogLevel(reader: Reader): LogLevel {
  const level = reader.text("LOG_LEVEL") ?? "info";
  if (level === "debug" || level === "info" || level === "warn" || level === "error") {
    return level;
  }
  throw new ConfigError("LOG_LEVEL must be debug, info, warn or error.");
}

/** All variables of the environment, for the process that replaces this one. */
export function wholeEnvironment(): Environment {
  return process.env;
}

/**
 * Reads the environment; an empty variable counts as unset.
 * @throws ConfigError
 */
export function loadConfig(env: Environment = process.env): Config {
  const reader = new Reader(env);
  const host = reader.text("HOST") ?? "127.0.0.1";
  reader.required("ALLOWED_PROVIDER_HOSTS", /./, "name the hosts that this node may call, divided by commas");
  return Object.freeze({
    nodeCode: reader.required("NODE_CODE", nodeCodePattern, "letters, digits and . _ -, at most 64"),
    host,
    port: reader.number("PORT", 8790, [0, 65_535]),
    tls: readTls(reader, host),
    publicHosts: reader.list("PUBLIC_HOSTS", [], hostPattern),
    egressAddress: readEgressAddress(reader),
    allowedProviderHosts: reader.list("ALLOWED_PROVIDER_HOSTS", [], hostPattern),
    allowedPaths: reader.list("ALLOWED_PATHS", defaultPaths, pathPattern),
    isPrivateUpstreamAllowed: reader.flag("PRIVATE_UPSTREAM_ALLOWED"),
    providerCaFile: reader.text("PROVIDER_CA_FILE"),
    relayKeysFile: readSecretFile(reader, "RELAY_KEYS_FILE", "relay-keys"),
    providerAccountsFile: readSecretFile(reader, "PROVIDER_ACCOUNTS_FILE", "provider-accounts"),
    limits: readLimits(reader),
    stallTimeoutMs: reader.number("STREAM_STALL_TIMEOUT_MS", 60_000, [100, 3_600_000]),
    bodyBytesMax: reader.number("BODY_BYTES_MAX", 32 * 1024 ** 2, [1_024, 256 * 1024 ** 2]),
    callsMax: reader.number("CALLS_MAX", 1_000, [1, 100_000]),
    drainNoticeMs: reader.number("DRAIN_NOTICE_MS", 1_000, [0, 600_000]),
    drainTimeoutMs: reader.number("DRAIN_TIMEOUT_MS", 30_000, [0, 3_600_000]),
    logLevel: readLogLevel(reader),
  });
}
