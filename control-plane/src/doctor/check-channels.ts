import { rootCertificates } from "node:tls";
import type { ChannelId } from "@sluice/contracts/ids";
import { openChannelCredential } from "../gateway/channels/credentials.ts";
import type { MasterKey } from "../platform/crypto/master-key.ts";
import type { Database } from "../platform/db.ts";
import { type CheckedChannel, listCheckedChannels } from "./doctor-store.ts";
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
  const findings: Finding[] = [];
  for (let at = 0; at < channels.length; at += atOnce) {
    const some = channels.slice(at, at + atOnce).map((channel) => checkChannel(channel, masterKey, trust));
    findings.push(...(await Promise.all(some)));
  }
  return findings;
}

/** The certificates for calls, or what is wrong with their file. */
async function readTrust(caFile: string | null): Promise<Trust | Finding> {
  try {
    return caFile === null ? {} : { tls: { ca: [...rootCertificates, await Bun.file(caFile).text()] } };
  } catch (error) {
    return problem(area, `UPSTREAM_CA_FILE can't be read: ${reasonOf(error)}.`, "Name a file of PEM certificates.");
  }
}

async function checkChannel(channel: CheckedChannel, masterKey: MasterKey, trust: Trust): Promise<Finding> {
  const { name, credentialSealed, upstream, id } = channel;
  if (credentialSealed !== null) {
    try {
      openChannelCredential(masterKey, id as ChannelId, credentialSealed);
    } catch {
      return problem(area, `The credential of ${name} cannot be decrypted.`, "Enter it again in the admin.");
    }
  } else if (Object.values(upstream.dialects).some(({ auth }) => auth !== "none")) {
    return warning(area, `${name} has no credential.`, "Enter one in the admin, unless its server takes none.");
  }
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
