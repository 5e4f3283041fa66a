/** The script: an ordered list of rules; the first matching one decides the response to a request. */
import { z } from "zod";
import { type Behaviour, behaviourSchema } from "./behaviour.ts";
import type { IncomingRequest } from "./incoming-request.ts";

const matcherSchema = z.strictObject({
  method: z.string().optional(),
  /** The whole path without the query. */
  path: z.string().optional(),
  model: z.string().optional(),
  /** The key, however it was sent; the one in the Authorization header where there are several. */
  credential: z.string().optional(),
  isStream: z.boolean().optional(),
  /** A text anywhere in the body. */
  bodyIncludes: z.string().optional(),
});

const conditionsSchema = z.strictObject({
  match: matcherSchema.optional(),
  /** How many requests each behaviour is used for; 1 by default. */
  times: z.union([z.int().positive(), z.literal("always")]).optional(),
});

/** A script as received over HTTP. */
export const scriptSchema = z.strictObject({
  behaviours: z.array(behaviourSchema).min(1),
  ...conditionsSchema.shape,
});

export type Matcher = Readonly<z.infer<typeof matcherSchema>> | ((request: IncomingRequest) => boolean);

export type Conditions = { readonly match?: Matcher | undefined; readonly times?: number | "always" | undefined };

type Rule = { readonly behaviour: Behaviour; readonly matches: (request: IncomingRequest) => boolean; left: number };

export class Rules {
  #rules: Rule[] = [];

  /** How many responses are still scripted; Infinity if a rule always applies. */
  get left(): number {
    return this.#rules.reduce((sum, rule) => sum + rule.left, 0);
  }

  /** Appends behaviours to the list, in order, each for this many requests. */
  add(behaviours: readonly Behaviour[], conditions: Conditions): void {
    const match = conditions.match ?? {};
    const matches = typeof match === "function" ? match : (request: IncomingRequest) => isMatch(match, request);
    const left = conditions.times === "always" ? Number.POSITIVE_INFINITY : (conditions.times ?? 1);
    for (const behaviour of behaviours) {
      this.#rules.push({ behaviour, matches, left });
    }
  }

  /** The behaviour of the first matching rule, consuming one use; null when none matches. */
  take(request: IncomingRequest): Behaviour | null {
    const rule = this.#rules.find((candidate) => candidate.matches(request));
    if (rule === undefined) {
      return null;
    }
    rule.left -= 1;
    if (rule.left === 0) {
      this.#rules = this.#rules.filter((candidate) => candidate !== rule);
    }
    return rule.behaviour;
  }

  /** Whether the first matching rule responds before the body has arrived; this does not use up the rule. */
  hasEarlyAnswer(request: IncomingRequest): boolean {
    const isPossible = this.#rules.some((rule) => rule.behaviour.answersBeforeBody === true);
    const first = isPossible ? this.#rules.find((candidate) => candidate.matches(request)) : undefined;
    return first?.behaviour.answersBeforeBody === true;
  }

  clear(): void {
    this.#rules = [];
  }
}

function isMatch(matcher: Exclude<Matcher, (request: IncomingRequest) => boolean>, request: IncomingRequest): boolean {
  return (
    (matcher.method === undefined || matcher.method === request.head.method) &&
    (matcher.path === undefined || matcher.path === request.path) &&
    (matcher.credential === undefined || matcher.credential === request.credential) &&
    (matcher.model === undefined || matcher.model === request.model) &&
    (matcher.isStream === undefined || matcher.isStream === request.isStream) &&
    (matcher.bodyIncludes === undefined || request.body?.includes(matcher.bodyIncludes) === true)
  );
}
