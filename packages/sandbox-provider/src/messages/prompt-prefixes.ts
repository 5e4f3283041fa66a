/**
 * A request as the cache of prompts sees it: one block after the other, in the order tools, system, messages. Where a
 * block ends, a prefix ends; it is known by its hash and has so many tokens.
 */
import { asArray, asObject, type JsonObject } from "../api/prompt.ts";
import { attachmentTokens, countTokens, tokensOfBytes } from "../api/usage.ts";
import { blocksOf } from "./blocks.ts";

export type Lifetime = "5m" | "1h";

export type Prefix = {
  readonly hash: string;
  readonly tokens: number;
  /** For how long the prefix is written to the cache, if a breakpoint asks for that here. */
  readonly lifetime: Lifetime | null;
};

type Size = { readonly bytes: number; readonly attachments: number };

export function promptPrefixes(body: JsonObject): readonly Prefix[] {
  const hasher = new Bun.CryptoHasher("sha256").update(JSON.stringify(body["model"] ?? null));
  const prefixes: Prefix[] = [];
  const add = (place: string, block: JsonObject, tokens: number): void => {
    hasher.update(`${place}${JSON.stringify(block, withoutMarks)}\n`);
    prefixes.push({ hash: hasher.copy().digest("hex"), tokens, lifetime: lifetimeOf(block) });
  };
  const tools = asArray(body["tools"]).map(asObject);
  for (const [index, tool] of tools.entries()) {
    add("tool", tool, countTools(tools.slice(0, index + 1)));
  }
  const toolTokens = countTools(tools);
  let size: Size = { bytes: 0, attachments: 0 };
  for (const [place, block] of contentBlocks(body)) {
    size = addSizes(size, sizeOf(block));
    add(place, block, toolTokens + tokensOfBytes(size.bytes) + size.attachments * attachmentTokens);
  }
  const last = prefixes.at(-1);
  const automatic = lifetimeOf(body);
  if (last !== undefined && automatic !== null) {
    prefixes[prefixes.length - 1] = { ...last, lifetime: last.lifetime ?? automatic };
  }
  return prefixes;
}

function* contentBlocks(body: JsonObject): Iterable<readonly [place: string, block: JsonObject]> {
  for (const block of blocksOf(body["system"])) {
    yield ["system", block];
  }
  for (const [index, turn] of asArray(body["messages"]).map(asObject).entries()) {
    for (const block of blocksOf(turn["content"])) {
      yield [`${index} ${String(turn["role"])}`, block];
    }
  }
}

function countTools(tools: readonly JsonObject[]): number {
  return tools.length === 0 ? 0 : countTokens(JSON.stringify(tools));
}

/** Thinking of earlier turns is free. */
function sizeOf(block: JsonObject): Size {
  switch (block["type"]) {
    case "image":
    case "document":
      return { bytes: 0, attachments: 1 };
    case "thinking":
    case "redacted_thinking":
      return { bytes: 0, attachments: 0 };
    case "tool_use":
      return {
        bytes: Buffer.byteLength(`${String(block["name"])}${JSON.stringify(block["input"] ?? {})}`),
        attachments: 0,
      };
    case "tool_result":
      return blocksOf(block["content"]).map(sizeOf).reduce(addSizes, { bytes: 0, attachments: 0 });
    default: {
      const text = block["text"] ?? JSON.stringify(block["content"] ?? "");
      return { bytes: Buffer.byteLength(String(text)), attachments: 0 };
    }
  }
}

function addSizes(left: Size, right: Size): Size {
  return { bytes: left.bytes + right.bytes, attachments: left.attachments + right.attachments };
}

/** A block is the same text with a breakpoint and without one. */
function withoutMarks(key: string, value: unknown): unknown {
  return key === "cache_control" ? undefined : value;
}

function lifetimeOf(block: JsonObject): Lifetime | null {
  const mark = [block, ...blocksOf(block["content"])]
    .map((one) => asObject(one["cache_control"]))
    .find((one) => "type" in one);
  if (mark === undefined) {
    return null;
  }
  return mark["ttl"] === "1h" ? "1h" : "5m";
}
