/** Runs in a worker, so that the page stays usable: finds the number that solves a proof of work. */
export type ProofTask = { readonly challenge: string; readonly email: string; readonly bits: number };

/** Digests are made by other threads, so many are asked for at a time. */
const batch = 512;
const encoder = new TextEncoder();

addEventListener("message", ({ data }: MessageEvent<ProofTask>) => {
  void solve(data).then((solution) => postMessage(solution));
});

async function solve({ challenge, email, bits }: ProofTask): Promise<string> {
  const prefix = `${challenge}:${email.toLowerCase()}:`;
  for (let first = 0; ; first += batch) {
    const numbers = Array.from({ length: batch }, (_, index) => String(first + index));
    const digests = await Promise.all(
      numbers.map((number) => crypto.subtle.digest("SHA-256", encoder.encode(prefix + number))),
    );
    const found = digests.findIndex((digest) => zeroBits(new DataView(digest)) >= bits);
    if (found >= 0) {
      return numbers[found] ?? "";
    }
  }
}

/** The number of zero bits at the beginning; the most that can be asked for fits in 32. */
function zeroBits(digest: DataView): number {
  return Math.clz32(digest.getUint32(0));
}
