/**
 * Faults on demand for a person: a user message with `sandbox:` and then one or more commands, separated by `;` or line
 * ends. Everything before `sandbox:` is ordinary text.
 */
import { type Behaviour, usageShapes } from "./behaviour.ts";

type Command = {
  readonly usage: string;
  readonly effect: string;
  readonly pattern: RegExp;
  readonly read: (match: Readonly<Record<string, string | undefined>>) => Partial<Behaviour>;
};

/** The parts of a usage, as a person names them. */
const tokenParts = { cached: "cached", written: "written5m", reasoning: "reasoning" } as const;
const partNames = Object.keys(tokenParts).join("|");
const tokenCount = "\\d{1,9}";

const commands: readonly Command[] = [
  {
    usage: "status 429 retry-after 2",
    effect: "answers this HTTP status, with a Retry-After if given",
    pattern: /^status (?<status>[2-5]\d\d)(?: retry-after (?<seconds>\d+))?$/,
    read: ({ status, seconds }) => ({
      status: Number(status),
      ...(seconds === undefined ? {} : { retryAfter: Number(seconds) }),
    }),
  },
  {
    usage: "cut after 3 chunks [with reset]",
    effect: "ends the connection there; also 'after 200 bytes'",
    pattern: /^cut after (?<count>\d+) (?<unit>chunk|byte)s?(?<reset> with reset)?$/,
    read: ({ count, unit, reset }) => {
      const end = reset === undefined ? "fin" : "rst";
      return {
        cut: unit === "byte" ? { afterBytes: Number(count), with: end } : { afterChunks: Number(count), with: end },
      };
    },
  },
  {
    usage: "silence after 3 chunks",
    effect: "sends nothing more, and keeps the connection open",
    pattern: /^silence after (?<count>\d+) chunks?$/,
    read: ({ count }) => ({ silence: { afterChunks: Number(count) } }),
  },
  {
    usage: "delay 500",
    effect: "waits so many milliseconds before the answer begins",
    pattern: /^delay (?<ms>\d+)$/,
    read: ({ ms }) => ({ delayHeadMs: Number(ms) }),
  },
  {
    usage: "first-token 500",
    effect: "waits between the head and the first chunk",
    pattern: /^first-token (?<ms>\d+)$/,
    read: ({ ms }) => ({ firstTokenDelayMs: Number(ms) }),
  },
  {
    usage: "pace 50",
    effect: "waits between chunks",
    pattern: /^pace (?<ms>\d+)$/,
    read: ({ ms }) => ({ chunkDelayMs: Number(ms) }),
  },
  {
    usage: "chunks 100",
    effect: "says so many pieces of filler",
    pattern: /^chunks (?<count>\d{1,6})$/,
    read: ({ count }) => ({ chunks: Number(count) }),
  },
  {
    usage: "tool get_weather, get_time",
    effect: "calls these tools, with arguments that fit their schemas",
    pattern: /^tools? (?<names>[\w-]+(?:\s*,\s*[\w-]+)*)$/,
    read: ({ names = "" }) => ({ toolCalls: names.split(/\s*,\s*/).map((name) => ({ name })) }),
  },
  {
    usage: "say hello",
    effect: "answers exactly this",
    pattern: /^say (?<text>.+)$/,
    read: ({ text = "" }) => ({ text }),
  },
  {
    usage: "reason about it",
    effect: "sends this as reasoning ahead of the text",
    pattern: /^reason (?<text>.+)$/,
    read: ({ text = "" }) => ({ reasoning: text }),
  },
  {
    usage: "refuse",
    effect: "answers with a refusal",
    pattern: /^refuse$/,
    read: () => ({ refusal: "The sandbox refuses because it was told to." }),
  },
  {
    usage: "finish content_filter",
    effect: "ends with this finish reason",
    pattern: /^finish (?<reason>\w+)$/,
    read: ({ reason = "stop" }) => ({ finishReason: reason }),
  },
  {
    usage: "usage 1000 500 [cached 200]",
    effect: "reports so many tokens of prompt and answer; also 'written 100', 'reasoning 50'",
    pattern: new RegExp(
      `^usage (?<prompt>${tokenCount}) (?<completion>${tokenCount})(?<parts>(?: (?:${partNames}) ${tokenCount})*)$`,
    ),
    read: ({ prompt, completion, parts = "" }) => ({
      tokens: { prompt: Number(prompt), completion: Number(completion), ...readParts(parts) },
    }),
  },
  {
    usage: "omit usage",
    effect: "leaves the usage out",
    pattern: /^omit usage$/,
    read: () => ({ omitUsage: true }),
  },
  {
    usage: "malformed 2",
    effect: "breaks off the JSON of the chunk with this index",
    pattern: /^malformed (?<index>\d+)$/,
    read: ({ index }) => ({ malformedChunk: Number(index) }),
  },
  {
    usage: "error after 2 chunks",
    effect: "ends the stream with an error event",
    pattern: /^error after (?<count>\d+) chunks?$/,
    read: ({ count }) => ({ errorEventAfter: Number(count) }),
  },
  {
    usage: "usage-shape xai",
    effect: "spells the usage of a chat as this provider does",
    pattern: new RegExp(`^usage-shape (?<shape>${usageShapes.join("|")})$`),
    read: ({ shape }) => ({ usageShape: usageShapes.find((name) => name === shape?.toLowerCase()) }),
  },
  {
    usage: "error-inside 429 [after 2 chunks]",
    effect: "answers 200 with an error in it",
    pattern: /^error-inside (?<code>[4-5]\d\d)(?: after (?<count>\d+) chunks?)?$/,
    read: ({ code, count = "0" }) => ({
      errorInside: { form: "alone", code: Number(code), afterChunks: Number(count) },
    }),
  },
  {
    usage: "html",
    effect: "answers a web server's error page with status 502",
    pattern: /^html$/,
    read: () => ({ isHtmlBody: true, status: 502 }),
  },
  {
    usage: "never answer",
    effect: "takes the request and stays silent",
    pattern: /^never answer$/,
    read: () => ({ neverAnswer: true }),
  },
];

function readParts(text: string): NonNullable<Behaviour["tokens"]> {
  const found = Object.entries(tokenParts).flatMap(([name, field]) => {
    const amount = new RegExp(`${name} (\\d+)`, "i").exec(text)?.[1];
    return amount === undefined ? [] : [[field, Number(amount)] as const];
  });
  return Object.fromEntries(found);
}

/** One line for each command. */
export function describeCommands(): string {
  return commands.map(({ usage, effect }) => `sandbox: ${usage.padEnd(34)}${effect}`).join("\n");
}

/** The behaviour that a message asks for; the response to an unknown command is the list of commands. */
export function readCommands(message: string): Behaviour {
  const start = /(?:^|\s)sandbox:/i.exec(message);
  if (start === null) {
    return {};
  }
  const written = message.slice(start.index + start[0].length).split(/[;\n]|sandbox:/i);
  let behaviour: Behaviour = {};
  for (const text of written.map((part) => part.trim().replace(/\s+/g, " "))) {
    if (text !== "") {
      behaviour = { ...behaviour, ...readCommand(text) };
    }
  }
  return behaviour;
}

function readCommand(text: string): Partial<Behaviour> {
  for (const command of commands) {
    const match = new RegExp(command.pattern, "i").exec(text);
    if (match !== null) {
      return command.read({ ...match.groups });
    }
  }
  return { text: `The sandbox does not know the command '${text}'. It knows:\n${describeCommands()}` };
}
