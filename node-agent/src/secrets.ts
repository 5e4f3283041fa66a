import { readFileSync, statSync } from "node:fs";
import { RelayKeyRing, relayKeyFingerprint } from "@sluice/exit-protocol/relay-key";
import { type ProviderAccount, parseAccounts } from "./accounts.ts";
import type { Config, SecretFile } from "./config.ts";
import { ConfigError } from "./config-error.ts";

export type TlsFiles = { readonly cert: string; readonly key: string };

/**
 * Everything that is read from files and reloaded on SIGHUP. One object, so that a call sees old or new, never both.
 */
export type Secrets = {
  readonly relayKeys: readonly string[];
  readonly ring: RelayKeyRing;
  /** The fingerprints of the relay keys, in order. */
  readonly fingerprints: readonly string[];
  readonly accounts: readonly ProviderAccount[];
  readonly tls: TlsFiles | null;
};

const bytesMax = 256 * 1024;
const othersReadable = 0o044;
const worldReadable = 0o004;

function readWhole(path: string, what: string): string {
  try {
    const { size } = statSync(path);
    if (size > bytesMax) {
      throw new ConfigError(`The file of ${what} is larger than ${bytesMax} bytes.`);
    }
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof ConfigError) {
      throw error;
    }
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
    throw new ConfigError(`The file of ${what}, ${path}, can't be read: ${code}.`);
  }
}

/** @throws ConfigError when anyone but the owner may read the file */
function readSecret(file: SecretFile, what: string): string {
  const text = readWhole(file.path, what);
  const forbidden = file.isSystemdCredential ? worldReadable : othersReadable;
  if ((statSync(file.path).mode & forbidden) !== 0) {
    throw new ConfigError(`The file of ${what}, ${file.path}, can be read by others: give it mode 0600.`);
  }
  return text;
}

/** One key per line; lines that begin with # say who created it and when. */
function parseRelayKeys(text: string): { keys: readonly string[]; ring: RelayKeyRing } {
  const keys = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
  try {
    return { keys, ring: new RelayKeyRing(keys) };
  } catch (error) {
    throw new ConfigError(
      `The relay keys can't be used: ${error instanceof Error ? error.message : "unknown reason"}.`,
    );
  }
}

/**
 * Reloads all files. Nothing changes unless all of them are valid, so that a half-written file leaves everything as it
 * is.
 * @throws ConfigError
 */
export function readSecrets(config: Config): Secrets {
  const { keys, ring } = parseRelayKeys(readSecret(config.relayKeysFile, "the relay keys"));
  const accounts = parseAccounts(readSecret(config.providerAccountsFile, "the provider accounts"), config);
  const { tls } = config;
  return {
    relayKeys: keys,
    ring,
    fingerprints: keys.map(relayKeyFingerprint),
    accounts,
    tls:
      tls === null
        ? null
        : {
            cert: readWhole(tls.certFile, "the TLS certificate"),
            key: readSecret({ path: tls.keyFile, isSystemdCredential: false }, "the TLS key"),
          },
  };
}
