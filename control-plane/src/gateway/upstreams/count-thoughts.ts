import type { AnswerConverter, JsonObject } from "@sluice/dialect-conversion/model";

/**
 * For upstreams that count thoughts only in the total of their usage: a converted response names as output what is
 * charged as output.
 */
export function withCountedThoughts(answers: AnswerConverter): AnswerConverter {
  const { events } = answers;
  return {
    whole: (answer) => answers.whole(counted(answer)),
    ...(events === undefined ? {} : { events: (response) => events.call(answers, response) }),
    stream() {
      const stream = answers.stream();
      const { idle } = stream;
      return {
        take: (payload) => stream.take(counted(payload)),
        end: () => stream.end(),
        ...(idle === undefined ? {} : { idle: () => idle.call(stream) }),
      };
    },
  };
}

/** The same as `readChatUsageByTotal` reads. */
function counted(payload: JsonObject): JsonObject {
  const { usage } = payload;
  if (!isObject(usage)) {
    return payload;
  }
  const { completion_tokens_details: details } = usage;
  const [prompt, answer, total] = [usage["prompt_tokens"], usage["completion_tokens"], usage["total_tokens"]].map(
    count,
  );
  const told = isObject(details) ? count(details["reasoning_tokens"]) : 0;
  const thoughts = (total ?? 0) - (prompt ?? 0) - (answer ?? 0);
  // Thoughts that are named beside the answer are found without help.
  if (thoughts <= 0 || thoughts === told) {
    return payload;
  }
  return {
    ...payload,
    usage: {
      ...usage,
      completion_tokens: (answer ?? 0) + thoughts,
      completion_tokens_details: { ...(isObject(details) ? details : {}), reasoning_tokens: told + thoughts },
    },
  };
}

function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
