import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

/** Certificates generated at run time, so that no key is in the repository and none expires there. */
export type TestCertificate = { readonly cert: string; readonly key: string };

export type TestAuthority = {
  readonly cert: string;
  issue(names: { readonly dns?: readonly string[]; readonly ip?: readonly string[] }): TestCertificate;
};

const ecdsaWithSha256 = [0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];
const commonName = [0x06, 0x03, 0x55, 0x04, 0x03];
const basicConstraints = [0x06, 0x03, 0x55, 0x1d, 0x13];
const subjectAltName = [0x06, 0x03, 0x55, 0x1d, 0x11];

function der(tag: number, ...parts: (Uint8Array | readonly number[])[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function distinguishedName(name: string): Buffer {
  return der(0x30, der(0x31, der(0x30, commonName, der(0x0c, Buffer.from(name)))));
}

function utcTime(date: Date): Buffer {
  const digits = date.toISOString().replaceAll(/[-:T]/g, "").slice(2, 14);
  return der(0x17, Buffer.from(`${digits}Z`));
}

function pem(label: string, bytes: Buffer): string {
  const lines = bytes.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}

type Draft = {
  readonly subject: string;
  readonly issuer: string;
  readonly publicKey: KeyObject;
  readonly signingKey: KeyObject;
  readonly extension: Buffer;
};

function makeCertificate({ subject, issuer, publicKey, signingKey, extension }: Draft): string {
  const dayMs = 86_400_000;
  const algorithm = der(0x30, ecdsaWithSha256);
  const serial = randomBytes(8);
  serial[0] = 0x40;
  const toBeSigned = der(
    0x30,
    der(0xa0, [0x02, 0x01, 0x02]),
    der(0x02, serial),
    algorithm,
    distinguishedName(issuer),
    der(0x30, utcTime(new Date(Date.now() - dayMs)), utcTime(new Date(Date.now() + dayMs))),
    distinguishedName(subject),
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, der(0x30, extension)),
  );
  const signature = sign("sha256", toBeSigned, signingKey);
  return pem("CERTIFICATE", der(0x30, toBeSigned, algorithm, der(0x03, [0], signature)));
}

function alternativeNames(dns: readonly string[], ip: readonly string[]): Buffer {
  const names = [
    ...dns.map((name) => der(0x82, Buffer.from(name))),
    ...ip.map((address) => der(0x87, address.split(".").map(Number))),
  ];
  return der(0x30, subjectAltName, der(0x04, der(0x30, ...names)));
}

/** A separate authority, trusted only by those who are given it. */
export function createTestAuthority(): TestAuthority {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const issuer = "test authority";
  const cert = makeCertificate({
    subject: issuer,
    issuer,
    publicKey,
    signingKey: privateKey,
    extension: der(0x30, basicConstraints, [0x01, 0x01, 0xff], der(0x04, der(0x30, [0x01, 0x01, 0xff]))),
  });
  return {
    cert,
    issue: ({ dns = [], ip = [] }) => {
      const leaf = generateKeyPairSync("ec", { namedCurve: "P-256" });
      return {
        key: leaf.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
        cert: makeCertificate({
          subject: "test server",
          issuer,
          publicKey: createPublicKey(leaf.publicKey.export({ type: "spki", format: "pem" })),
          signingKey: privateKey,
          extension: alternativeNames(dns, ip),
        }),
      };
    },
  };
}
