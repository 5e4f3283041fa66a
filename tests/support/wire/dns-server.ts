import { createSocket, type Socket } from "node:dgram";

/** The records of a name: addresses of either family, another name, or an error. */
export type DnsZone = {
  readonly a?: readonly string[];
  readonly aaaa?: readonly string[];
  readonly cname?: string;
  /** `silent` never responds, `failing` reports a server failure, `absent` that the name does not exist. */
  readonly is?: "silent" | "failing" | "absent";
  /** Addresses of this kind are the only ones that the server has a problem with. */
  readonly failsFor?: "a" | "aaaa";
};

const types: Readonly<Record<number, "a" | "aaaa">> = { 1: "a", 28: "aaaa" };
const codes = { failing: 2, absent: 3 } as const;

/** A small DNS server on UDP that responds as scripted, until the script changes. */
export class DnsServer implements AsyncDisposable {
  readonly questions: { readonly name: string; readonly type: "a" | "aaaa" }[] = [];
  readonly #zones = new Map<string, DnsZone>();
  readonly #socket: Socket;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("message", (message, from) => {
      const answer = this.#answer(message);
      if (answer !== null) {
        socket.send(answer, from.port, from.address);
      }
    });
  }

  static async start(): Promise<DnsServer> {
    const socket = createSocket("udp4");
    await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
    return new DnsServer(socket);
  }

  /** For the setting that names DNS servers. */
  get address(): string {
    return `127.0.0.1:${this.#socket.address().port}`;
  }

  set(name: string, zone: DnsZone): void {
    this.#zones.set(name, zone);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise<void>((resolve) => this.#socket.close(() => resolve()));
  }

  #answer(message: Buffer): Buffer | null {
    const { name, end } = readName(message, 12);
    const type = types[message.readUInt16BE(end)];
    const question = message.subarray(12, end + 4);
    if (type === undefined) {
      return reply(message, question, { code: 0, records: [] });
    }
    this.questions.push({ name, type });
    const zone = this.#zones.get(name) ?? { is: "absent" as const };
    if (zone.is === "silent") {
      return null;
    }
    if (zone.is !== undefined || zone.failsFor === type) {
      return reply(message, question, { code: codes[zone.is ?? "failing"], records: [] });
    }
    // The name of the question, and with an alias its target.
    const owner = zone.cname === undefined ? Buffer.from([0xc0, 12]) : writeName(zone.cname);
    const alias = zone.cname === undefined ? [] : [record(Buffer.from([0xc0, 12]), 5, writeName(zone.cname))];
    const addresses = (zone[type] ?? []).map((each) => record(owner, type === "a" ? 1 : 28, toBytes(each)));
    return reply(message, question, { code: 0, records: [...alias, ...addresses] });
  }
}

function readName(message: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = [];
  let at = start;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString("ascii", at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join(".").toLowerCase(), end: at + 1 };
}

function writeName(name: string): Buffer {
  const labels = name.split(".").map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.from([0])]);
}

function toBytes(address: string): Buffer {
  if (!address.includes(":")) {
    return Buffer.from(address.split(".").map(Number));
  }
  const [head = "", tail = ""] = address.split("::");
  const groups = (text: string) => (text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16)));
  const missing = 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...new Array<number>(missing).fill(0), ...groups(tail)];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 255]));
}

/** Valid for zero seconds, so that nobody between here and the test may cache it. */
function record(owner: Buffer, type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(10);
  head.writeUInt16BE(type, 0);
  head.writeUInt16BE(1, 2);
  head.writeUInt16BE(data.length, 8);
  return Buffer.concat([owner, head, data]);
}

function reply(
  message: Buffer,
  question: Buffer,
  { code, records }: { readonly code: number; readonly records: readonly Buffer[] },
): Buffer {
  const head = Buffer.alloc(12);
  message.copy(head, 0, 0, 2);
  head.writeUInt16BE(0x8180 | code, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(records.length, 6);
  return Buffer.concat([head, question, ...records]);
}
