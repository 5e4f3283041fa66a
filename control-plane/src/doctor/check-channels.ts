import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { rootCertificates } from "node:tls";
import type { ChannelId, CredentialId } from "@sluice/contracts/ids";
import { CredentialTrials } from "../gateway/catalog-admin/try-credential.ts";
import { openChannelCredential, openFurtherCredential } from "../gateway/channels/credentials.ts";
import type { Config } from "../platform/config.ts";
import type { MasterKey } from "../platform/crypto/master-key.ts";
import type { Database } from "../platform/db.ts";
import { createLog } from "../platform/log.ts";
import {
  type CheckedChannel,
  type CheckedCredential,
  listCheckedChannels,
  listCheckedCredentials,
} from "./doctor-store.ts";
import { type Finding, fine, problem, reasonOf, warning } from "./model.ts";

const area = "channels";
const timeoutMs = 5_000;
const atOnce = 8;
const triedAtOnce = 4;
const triedMax = 100;
const triedMsMax = 30_000;

/**
 * Whether the servers of the enabled channels can be reached, and their credentials be read. Unless `isOffline`, providers
 * are asked for their lists of models with these credentials, which is free. It calls no model.
 */
export async function checkChannels(
  db: Database,
  masterKey: MasterKey,
  { config, isOffline }: { readonly config: Config; readonly isOffline: boolean },
): Promise<readonly Finding[]> {
  const trust = await readTrust(config.UPSTREAM_CA_FILE ?? null);
  if ("text" in trust) {
    return [trust];
  }
  const channels = await listCheckedChannels(db);
  if (channels.length === 0) {
    return [
      warning(area, "No channel is enabled, so no call can be served.", "Add a provider in the admin, under Channels."),
    ];
  }
  const credentials = Map.groupBy(await listCheckedCredentials(db), ({ channelId }) => channelId);
  const findings: Finding[] = [];
  for (let at = 0; at < channels.length; at += atOnce) {
    const some = channels
      .slice(at, at + atOnce)
      .map((channel) => checkChannel(channel, credentials.get(channel.id) ?? [], { masterKey, trust }));
    findings.push(...(await Promise.all(some)).flat());
  }
  return isOffline ? findings : [...findings, ...(await tryCredentials(channels, credentials, { config, masterKey }))];
}

type Trial = { readonly channel: CheckedChannel; readonly label: string; readonly credential: string };

/** Asks each provider whether it takes the credential, in bounds of number and time. */
async function tryCredentials(
  channels: readonly CheckedChannel[],
  credentials: ReadonlyMap<bigint, readonly CheckedCredential[]>,
  { config, masterKey }: { readonly config: Config; readonly masterKey: MasterKey },
): Promise<readonly Finding[]> {
  const all = channels.flatMap((channel) =>
    (credentials.get(channel.id) ?? []).flatMap((each): Trial[] => {
      const credential = openCredential(channel, each, masterKey);
      return credential === null ? [] : [{ channel, label: each.label, credential }];
    }),
  );
  const trials = new CredentialTrials(
    config,
    createLog("error", () => undefined),
  );
  const findings: Finding[] = [];
  const endMs = performance.now() + triedMsMax;
  const most = Math.min(all.length, triedMax);
  try {
    while (findings.length < most && performance.now() < endMs) {
      const some = all.slice(findings.length, Math.min(findings.length + triedAtOnce, most));
      findings.push(...(await Promise.all(some.map((trial) => tryCredential(trials, trial)))));
    }
  } finally {
    trials.close();
  }
  const left = all.length - findings.length;
  return left === 0
    ? findings
    : [
        ...findings,
        warning(
          area,
          `${left} further credentials were not tried: at most ${triedMax} are, for ${triedMsMax / 1_000} s.`,
          "Test their channels in the admin.",
        ),
      ];
}

async function tryCredential(trials: CredentialTrials, { channel, label, credential }: Trial): Promise<Finding> {
  const { name, upstream, pinnedAddress } = channel;
  const trial = await trials.try({ upstream, credential, pinnedAddress });
  const what = `the credential ${label} of ${name}`;
  if (trial.result === "accepted") {
    return fine(area, `The provider lists its models for ${what}`);
  }
  return trial.result === "refused"
    ? problem(area, `Tried now, ${what}: ${trial.said}`, "Enter another one in the admin, and test the channel.")
    : warning(area, `Could not check whether ${what} is correct: ${trial.said}`, "Test the channel in the admin.");
}

/** Null if a channel has none, or if it can't be decrypted, which is a finding of its own. */
function openCredential(
  { id: channelId, credentialSealed }: CheckedChannel,
  { id, secretSealed }: CheckedCredential,
  masterKey: MasterKey,
): string | null {
  try {
    if (secretSealed !== null) {
      return openFurtherCredential(masterKey, id as CredentialId, secretSealed);
    }
    return credentialSealed === null
      ? null
      : openChannelCredential(masterKey, channelId as ChannelId, credentialSealed);
  } catch {
    return null;
  }
}

type Means = { readonly masterKey: MasterKey; readonly trust: Trust };

/** The certificates for calls, or what is wrong with their file. */
async function readTrust(caFile: string | null): Promise<Trust | Finding> {
  try {
    return caFile === null ? {} : { tls: { ca: [...rootCertificates, await Bun.file(caFile).text()] } };
  } catch (error) {
    return problem(area, `UPSTREAM_CA_FILE can't be read: ${reasonOf(error)}.`, "Name a file of PEM certificates.");
  }
}

async function checkChannel(
  channel: CheckedChannel,
  credentials: readonly CheckedCredential[],
  { masterKey, trust }: Means,
): Promise<readonly Finding[]> {
  const isOpen = Object.values(channel.upstream.dialects).every(({ auth }) => auth === "none");
  const faults = credentials.flatMap((each) => checkCredential(channel, each, masterKey));
  const missing =
    credentials.length === 0 && !isOpen
      ? [
          warning(
            area,
            `${channel.name} has no enabled credential.`,
            "Enter one in the admin, unless its server takes none.",
          ),
        ]
      : [];
  const names = await checkNames(channel);
  const isNamed = names.every(({ level }) => level === "ok");
  return [...faults, ...missing, ...names, ...(isNamed ? [await checkServers(channel, trust)] : [])];
}

/** Whether the names of the servers have addresses. One that is pinned is not asked for. */
async function checkNames({ name, upstream, pinnedAddress }: CheckedChannel): Promise<readonly Finding[]> {
  const hosts = Object.values(upstream.dialects).map(({ base_url: url }) => new URL(url).hostname);
  const names = [...new Set(hosts)].filter(
    (host) => pinnedAddress === null && isIP(host.replace(/^\[|\]$/g, "")) === 0,
  );
  return await Promise.all(
    names.map(async (host) => {
      try {
        const addresses = await withinTime(lookup(host, { all: true }));
        return fine(area, `${host}, the server of ${name}, has the address ${addresses[0]?.address}`);
      } catch (error) {
        return problem(
          area,
          `The name ${host}, the server of ${name}, has no address: ${reasonOf(error)}.`,
          "Check the address of the channel, and the name servers (DNS) of this host: `getent hosts NAME` asks them.",
        );
      }
    }),
  );
}

async function withinTime<Value>(value: Promise<Value>): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("no answer in time")), timeoutMs);
  return await Promise.race([value, late]).finally(() => clearTimeout(timer));
}

/** Each credential that calls may use is decrypted, and those that the provider has refused are named. */
function checkCredential(
  channel: CheckedChannel,
  credential: CheckedCredential,
  masterKey: MasterKey,
): readonly Finding[] {
  const { name } = channel;
  const { label, refusedReason } = credential;
  const hasSecret = credential.secretSealed !== null || channel.credentialSealed !== null;
  if (hasSecret && openCredential(channel, credential, masterKey) === null) {
    return [problem(area, `The credential ${label} of ${name} cannot be decrypted.`, "Enter it again in the admin.")];
  }
  return refusedReason === null
    ? []
    : [
        problem(
          area,
          refusedReason === "account_empty"
            ? `The account of the credential ${label} of ${name} is empty.`
            : `The provider refuses the credential ${label} of ${name}.`,
          "Enter another one in the admin, or top the account up there, and test the channel.",
        ),
      ];
}

async function checkServers({ name, upstream }: CheckedChannel, trust: Trust): Promise<Finding> {
  const origins = [...new Set(Object.values(upstream.dialects).map(({ base_url: url }) => new URL(url).origin))];
  for (const origin of origins) {
    const fault = await faultOf(origin, trust);
    if (fault !== null) {
      return problem(
        area,
        `${name} can't be reached at ${origin}: ${fault}.`,
        "Check its address, the name servers of this host (DNS), and the firewall for outgoing connections.",
      );
    }
  }
  return fine(area, `${name} can be reached at ${origins.join(" and ")}`);
}

/** Further certificates that servers may show. */
type Trust = Pick<BunFetchRequestInit, "tls">;

/** Any answer shows that the server is there. */
async function faultOf(origin: string, trust: Trust): Promise<string | null> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(origin, { ...trust, method: "HEAD", redirect: "manual", signal });
    await response.body?.cancel();
    return null;
  } catch (error) {
    // The library adds advice for people at a browser.
    return reasonOf(error).replace(/[.:] (?:Unable to connect|Is the computer).*$/, "");
  }
}
