import { connect } from "node:tls";
import { healthResponse } from "@sluice/contracts/health";
import { z } from "zod";
import { type Finding, fine, problem, reasonOf, warning } from "./model.ts";

const area = "address";
const timeoutMs = 5_000;
const answerBytesMax = 4_096;
const daysMin = 14;
const dayMs = 86_400_000;

/** Whether the public address leads here, and how long its certificate is valid. */
export async function checkAddress(publicUrl: string | null): Promise<readonly Finding[]> {
  if (publicUrl === null) {
    return [
      warning(
        area,
        "PUBLIC_BASE_URL is not set.",
        "Set it to the address that customers call: mails and payment gateways need it.",
      ),
    ];
  }
  const url = new URL(publicUrl);
  return [await checkAnswer(publicUrl), ...(url.protocol === "https:" ? [await checkCertificate(url)] : [])];
}

async function checkAnswer(publicUrl: string): Promise<Finding> {
  const cure = "Start the service, and check the name, the edge and the firewall.";
  try {
    const response = await fetch(`${publicUrl.replace(/\/$/, "")}/healthz`, {
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = response.ok ? await readStart(response) : "";
    await response.body?.cancel();
    if (!response.ok) {
      return problem(area, `${publicUrl}/healthz answers with status ${response.status}.`, cure);
    }
    // A page of another program, or a gateway that customers are still moved from, answers every path with 200.
    return isOurs(text)
      ? fine(area, `${publicUrl} answers`)
      : problem(
          area,
          `${publicUrl} reaches another program: its /healthz does not respond as Sluice does.`,
          "Point the edge at Sluice.",
        );
  } catch (error) {
    return problem(area, `${publicUrl} does not respond: ${reasonOf(error)}.`, cure);
  }
}

async function readStart(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    parts.push(part);
    size += part.length;
    if (size >= answerBytesMax) {
      break;
    }
  }
  return Buffer.concat(parts).toString("utf8");
}

function isOurs(text: string): boolean {
  try {
    return z.object({ ok: z.literal(true), ...healthResponse.shape }).safeParse(JSON.parse(text)).success;
  } catch {
    // It is not JSON.
    return false;
  }
}

async function checkCertificate({ hostname, port }: URL): Promise<Finding> {
  try {
    const days = Math.floor(((await endOfCertificate(hostname, Number(port || "443"))) - Date.now()) / dayMs);
    return days < daysMin
      ? problem(
          area,
          `The certificate of ${hostname} ends in ${days} days.`,
          "Renew it; see the edge in docs/operating/install.md.",
        )
      : fine(area, `The certificate of ${hostname} is valid for ${days} days`);
  } catch (error) {
    return problem(area, `TLS with ${hostname} fails: ${reasonOf(error)}.`, "Check the certificate of the edge.");
  }
}

function endOfCertificate(host: string, port: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const socket = connect({ host, port, servername: host, timeout: timeoutMs }, () => {
    resolve(Date.parse(socket.getPeerCertificate().valid_to));
    socket.destroy();
  });
  socket.on("timeout", () => socket.destroy(new Error("no answer in time")));
  socket.on("error", reject);
  return promise;
}
