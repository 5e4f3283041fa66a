import { rootCertificates } from "node:tls";
import type { ChannelId, CredentialId } from "@sluice/contracts/ids";
import { openChannelCredential, openFurtherCredential } from "../gateway/channels/credentials.ts";
import type { MasterKey } from "../platform/crypto/master-key.ts";
import type { Database } from "../platform/db.ts";
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

/** Whether the servers of the enabled channels can be reached, and their credentials be read. It calls no model. */
export async function checkChannels(
  db: Database,
  masterKey: MasterKey,
  caFile: string | null,
): Promise<readonly Finding[]> {
  const trust = await readTrust(caFile);
  if ("text" in trust) {
    return [trust];
  }
  const channels = await listCheckedChannels(db);
  if (channels.length === 0) {
    return [
      warning(
        area,
        "No channel is enabled, so no call can be served.",
        "Add a provider in the admin, under Upstreams.",
      ),
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
  return findings;
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
            `${channel.name} has no credential that is enabled.`,
            "Enter one in the admin, unless its server takes none.",
          ),
        ]
      : [];
  return [...faults, ...missing, await checkServers(channel, trust)];
}

/** Each credential that calls may use is decrypted, and those that the provider has refused are named. */
function checkCredential(
  { id: channelId, name, credentialSealed }: CheckedChannel,
  { id, label, secretSealed, refusedReason }: CheckedCredential,
  masterKey: MasterKey,
): readonly Finding[] {
  try {
    if (secretSealed !== null) {
      openFurtherCredential(masterKey, id as CredentialId, secretSealed);
    } else if (credentialSealed !== null) {
      openChannelCredential(masterKey, channelId as ChannelId, credentialSealed);
    }
  } catch {
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
        "Check its address, the names of this host (DNS), and what leaves the network.",
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
