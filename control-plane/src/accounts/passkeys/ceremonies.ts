import type { MadeCredential, ShownCredential } from "@sluice/contracts/passkeys";
import { AppError } from "../../platform/errors.ts";
import type { MadeKey, RelyingParty } from "./model.ts";

/** Ed25519, ES256 and RS256: what the runtime can check, in the order of preference. */
export const algorithms = [-8, -7, -257];

/** Ways that browsers know; what an authenticator makes up is not sent to other pages. */
const knownTransports: ReadonlySet<string> = new Set(["ble", "hybrid", "internal", "nfc", "smart-card", "usb"]);

/**
 * Loaded for the first passkey, because it takes 9 MB. A package that it uses needs `reflect-metadata`, which a bundle would
 * evaluate after that package.
 */
async function loadLibrary() {
  await import("reflect-metadata");
  const [ceremonies, decoders] = await Promise.all([
    import("@simplewebauthn/server"),
    import("@simplewebauthn/server/helpers"),
  ]);
  return { ...ceremonies, decoders };
}
type Decoders = Awaited<ReturnType<typeof loadLibrary>>["decoders"];

/**
 * Checks that an authenticator has made a key for this challenge, on a page of ours, and has recognised its owner.
 * @throws AppError `passkey_failed`
 */
export async function checkMade(
  credential: MadeCredential,
  { challenge, party }: { readonly challenge: string; readonly party: RelyingParty },
): Promise<MadeKey> {
  const { transports = [], ...response } = credential.response;
  const { verifyRegistrationResponse, decoders } = await loadLibrary();
  const verified = await orFailed(async () => {
    refuseFrames(response.clientDataJSON, decoders);
    refuseCertificates(response.attestationObject, decoders);
    return await verifyRegistrationResponse({
      response: { ...credential, response, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: algorithms,
    });
  });
  if (!verified.verified) {
    throw new AppError("passkey_failed");
  }
  const { credential: made, credentialDeviceType, credentialBackedUp, aaguid } = verified.registrationInfo;
  return {
    credentialId: made.id,
    publicKey: made.publicKey,
    counter: made.counter,
    transports: [...new Set(transports)].filter((transport) => knownTransports.has(transport)),
    isSynced: credentialDeviceType === "multiDevice",
    isBackedUp: credentialBackedUp,
    aaguid,
  };
}

/**
 * Checks that a key has signed this challenge, on a page of ours, and that its authenticator has recognised the owner.
 * Counters are left to the caller: what they mean depends on the key.
 * @throws AppError `passkey_failed`
 */
export async function checkShown(
  credential: ShownCredential,
  asked: {
    readonly challenge: string;
    readonly party: RelyingParty;
    readonly publicKey: Uint8Array;
    readonly isSynced: boolean;
  },
): Promise<{ readonly counter: number; readonly isBackedUp: boolean }> {
  const { challenge, party, publicKey, isSynced } = asked;
  const { userHandle, ...response } = credential.response;
  const { verifyAuthenticationResponse, decoders } = await loadLibrary();
  const { verified, authenticationInfo } = await orFailed(async () => {
    refuseFrames(response.clientDataJSON, decoders);
    return await verifyAuthenticationResponse({
      response: {
        ...credential,
        response: { ...response, ...(userHandle == null ? {} : { userHandle }) },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      credential: { id: credential.id, publicKey: new Uint8Array(publicKey), counter: 0 },
    });
  });
  // Whether a key can be copied is decided when it is made.
  if (!verified || (authenticationInfo.credentialDeviceType === "multiDevice") !== isSynced) {
    throw new AppError("passkey_failed");
  }
  return { counter: authenticationInfo.newCounter, isBackedUp: authenticationInfo.credentialBackedUp };
}

/** Whatever is wrong with a message from outside makes the library throw. */
async function orFailed<Result>(check: () => Promise<Result>): Promise<Result> {
  try {
    return await check();
  } catch (error) {
    throw new AppError("passkey_failed", { cause: error });
  }
}

/** Our pages are in no frame of another site. */
function refuseFrames(clientData: string, { decodeClientDataJSON }: Decoders): void {
  if (decodeClientDataJSON(clientData).crossOrigin === true) {
    throw new Error("shown in a frame of another site");
  }
}

/**
 * We ask for no statement about the authenticator, so browsers send none, or one that it has signed with the new key. One
 * with certificates would name addresses that the library asks whether they were revoked.
 */
function refuseCertificates(attestation: string, { decodeAttestationObject, isoBase64URL }: Decoders): void {
  const decoded = decodeAttestationObject(isoBase64URL.toBuffer(attestation));
  const format = decoded.get("fmt");
  if (format !== "none" && (format !== "packed" || decoded.get("attStmt").get("x5c") !== undefined)) {
    throw new Error(`attested as ${format}`);
  }
}
