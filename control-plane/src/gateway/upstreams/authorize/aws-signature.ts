import { awsCredential } from "@sluice/contracts/minted-credentials";
import { type HttpHeader, type HttpRequest, isStreamed } from "@sluice/http-client/model";
import { viewOf } from "@sluice/http-client/packet-part";
import { readCredential } from "../read-credential.ts";

const signedHeaders: ReadonlySet<string> = new Set([
  "authorization",
  "x-amz-date",
  "x-amz-content-sha256",
  "x-amz-security-token",
]);

/**
 * The headers of Signature Version 4 for a request.
 * @param credential JSON
 */
export async function signForAws(request: HttpRequest, credential: string): Promise<HttpHeader[]> {
  const {
    access_key_id: accessKeyId,
    secret_access_key: secretAccessKey,
    ...rest
  } = readCredential(awsCredential, credential);
  const { AwsV4Signer } = await import("aws4fetch");
  const { protocol, hostname, port, target, method, body } = request;
  const signer = new AwsV4Signer({
    method,
    url: `${protocol}//${hostname}:${port}${target}`,
    body: body === null || isStreamed(body) ? new Uint8Array() : viewOf(body),
    accessKeyId,
    secretAccessKey,
    service: rest.service,
    region: rest.region,
    ...(rest.session_token === undefined ? {} : { sessionToken: rest.session_token }),
  });
  const { headers } = await signer.sign();
  return [...headers].filter(([name]) => signedHeaders.has(name));
}
