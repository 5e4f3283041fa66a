import { CHUNKS_PER_STREAM } from "./load/answers.ts";
import { type Conversion, conversions } from "./load/call.ts";

export type Scenario = {
  readonly name: string;
  readonly title: string;
  readonly kind: "json" | "stream";
  readonly connections: number;
  /** Time between two chunks of a stream; 0 sends them all at once. */
  readonly paceMicroseconds: number;
  readonly warmupSeconds: number;
  readonly seconds: number;
  /** The dialects of client and provider; null for the chat call that every arm can take. */
  readonly conversion: Conversion | null;
  /** Part of `--quick`. */
  readonly isHeadline: boolean;
};

const json = { kind: "json", conversion: null, paceMicroseconds: 0, warmupSeconds: 1 } as const;
const stream = { kind: "stream", conversion: null } as const;

export const scenarios: readonly Scenario[] = [
  { ...json, name: "json-1", title: "JSON, 1 connection", connections: 1, seconds: 3, isHeadline: false },
  { ...json, name: "json-64", title: "JSON, 64 connections", connections: 64, seconds: 5, isHeadline: true },
  { ...json, name: "json-256", title: "JSON, 256 connections", connections: 256, seconds: 5, isHeadline: true },
  {
    name: "stream-200",
    title: "200 paced streams, a chunk each 10 ms",
    ...stream,
    connections: 200,
    paceMicroseconds: 10_000,
    warmupSeconds: 1,
    seconds: 6,
    isHeadline: true,
  },
  {
    name: "stream-500",
    title: "500 paced streams, a chunk each 25 ms",
    ...stream,
    connections: 500,
    paceMicroseconds: 25_000,
    warmupSeconds: 1.5,
    seconds: 6,
    isHeadline: false,
  },
  {
    name: "stream-1000",
    title: "1,000 paced streams, a chunk each 50 ms",
    ...stream,
    connections: 1000,
    paceMicroseconds: 50_000,
    // All have begun after 2.5 seconds.
    warmupSeconds: 2.6,
    seconds: 6,
    isHeadline: true,
  },
  {
    name: "stream-burst",
    title: "64 streams at once, all chunks as fast as they go",
    ...stream,
    connections: 64,
    paceMicroseconds: 0,
    warmupSeconds: 1,
    seconds: 4,
    isHeadline: false,
  },
];

/** Left out of a run that does not name them. */
export const conversionScenarios: readonly Scenario[] = conversions.flatMap((conversion) => {
  const { client, upstream } = conversion;
  const each = { conversion, warmupSeconds: 1, seconds: 4, isHeadline: false } as const;
  return [
    {
      ...each,
      name: `convert-${client}-${upstream}`,
      title: `${client} from ${upstream}, JSON, 64 connections`,
      kind: "json",
      connections: 64,
      paceMicroseconds: 0,
    },
    {
      ...each,
      name: `convert-stream-${client}-${upstream}`,
      title: `${client} from ${upstream}, 50 paced streams, a chunk each 10 ms`,
      kind: "stream",
      connections: 50,
      paceMicroseconds: 10_000,
    },
  ];
});

/** Chunks per second that the provider sends when nothing delays it, or null when there is no pace. */
export function chunksPerSecondAsked(scenario: Scenario): number | null {
  return scenario.paceMicroseconds === 0
    ? null
    : (scenario.connections * 1e6 * CHUNKS_PER_STREAM) / (scenario.paceMicroseconds * (CHUNKS_PER_STREAM - 1));
}
