import { readKnownInfo } from "./litellm/deployment-prices.ts";
import { readLiteLlm } from "./litellm/read-litellm.ts";
import { quotaOf } from "./litellm/usd.ts";
import type { Finding, PeerCall, PeerData, Program } from "./model.ts";
import { readSavedOptions } from "./prices/saved-options.ts";
import type { Source } from "./source/model.ts";
import { openSource } from "./source/open-source.ts";
import { readPeer } from "./source/read-peer.ts";
import { readCalls } from "./source/read-usage.ts";

/** Where the rows are, and what the database does not say; null where the operator does not, either. */
export type SourceOptions = {
  readonly from: string;
  /** What the running program answers about its settings or prices. */
  readonly optionsFile: string | null;
  /** For LiteLLM: the key under which models are encrypted, its configuration, and what accounts without a budget get. */
  readonly saltKeyFile: string | null;
  readonly configFile: string | null;
  readonly grantUsd: string | null;
  /** Not where every second counts: logs can be long. */
  readonly isUsageRead: boolean;
};

/**
 * Reads the single calls of one-api or new-api, page by page, and hands them over.
 * @param findings what could not be read
 */
export async function withCalls<Result>(
  from: string,
  findings: Finding[],
  work: (pages: AsyncIterable<readonly PeerCall[]>) => Promise<Result>,
): Promise<Result> {
  const source = await openSource(from);
  try {
    return await work(readCalls(source, findings));
  } finally {
    await source.close();
  }
}

const saltKeyBytesMax = 4_096;

/** Reads the database of another gateway. @throws Error that says what is wrong with it, or with an option */
export async function readSource(program: Program, options: SourceOptions): Promise<PeerData> {
  const { saltKeyFile, configFile, grantUsd, optionsFile } = options;
  if (program !== "litellm" && [saltKeyFile, configFile, grantUsd].some((each) => each !== null)) {
    throw new Error("--salt-key-file, --config and --grant are for litellm alone");
  }
  const source = await openSource(options.from);
  try {
    if (program === "litellm") {
      return await readLite(source, options);
    }
    const saved = optionsFile === null ? new Map<string, string>() : await readSavedOptions(optionsFile);
    return await readPeer(source, program, saved, options.isUsageRead);
  } finally {
    await source.close();
  }
}

async function readLite(source: Source, options: SourceOptions) {
  const { optionsFile, saltKeyFile, configFile, grantUsd, isUsageRead } = options;
  return await readLiteLlm(source, {
    saltKey: saltKeyFile === null ? null : await readSaltKey(saltKeyFile),
    configFile,
    knownInfo: optionsFile === null ? new Map() : await readKnownInfo(optionsFile),
    grant: grantUsd === null ? 0n : readGrant(grantUsd),
    isUsageRead,
  });
}

async function readSaltKey(path: string): Promise<string> {
  const file = Bun.file(path);
  if (!(await file.exists()) || file.size > saltKeyBytesMax) {
    throw new Error(`--salt-key-file: the file ${path} does not exist, or is larger than ${saltKeyBytesMax} bytes`);
  }
  return (await file.text()).trim();
}

function readGrant(text: string): bigint {
  const quota = /^\d{1,9}(\.\d{1,6})?$/.test(text) ? quotaOf(text) : null;
  if (quota === null) {
    throw new Error("--grant has to be a number of US dollars, such as 20 or 2.50");
  }
  return quota;
}
