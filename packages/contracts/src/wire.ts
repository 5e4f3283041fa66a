import { z } from "zod";
import { byCount, byPrice, byTokenPrice } from "./priced-units.ts";

/**
 * How values look in responses: JSON has no 64-bit integers and no dates. Response schemas are made of these, so that a
 * client gets the types that it will see, and `Unsent` gives the server those that it sends.
 */

/** An integer from the server: a JSON number, or its digits as text if a number can't represent it exactly. */
export const wireInteger = z
  .union([z.int(), z.string().regex(/^-?[1-9]\d{15,39}$/)])
  .brand<"integer">()
  .meta({
    title: "Integer",
    description: "An integer, sent as a string of digits when a JSON number can't hold it exactly.",
  });

/** A time in UTC. */
export const wireMoment = z.iso.datetime({ offset: true }).brand<"moment">();

/** An exact decimal, as text. */
export const wireDecimal = z.string().regex(/^-?\d+(\.\d+)?$/);

/** A date without a time, such as `2026-11-21`. */
export const wireDay = z.iso.date();

/** Every price of a list, in responses. */
export const wirePrices = byPrice({ refused: wireDecimal, free: wireDecimal, as_whole: wireDecimal.nullable() });

/** The prices of tokens for prompts above a length; null where prompts of any length cost the same. */
export const wireLongPrompt = z
  .strictObject({
    above_tokens: z.int(),
    ...byTokenPrice({ refused: wireDecimal, as_whole: wireDecimal.nullable() }),
  })
  .nullable();

/** Every count of a call. */
export const wireCounts = byCount({ bigint: wireInteger, integer: z.int() });

/** The cursor of the next page; null at the end. */
export const wireCursor = wireInteger.nullable();

/** The server's types for a value with this JSON form: integers are bigints and moments are dates. */
export type Unsent<Wire> =
  Wire extends z.core.$brand<"integer">
    ? bigint
    : Wire extends z.core.$brand<"moment">
      ? Date
      : Wire extends readonly (infer Item)[]
        ? readonly Unsent<Item>[]
        : Wire extends object
          ? { readonly [Name in keyof Wire]: Unsent<Wire[Name]> }
          : Wire;

/** The fields of a response beside `ok`, by its schema. */
export type ResponseOf<Schema extends z.ZodType> = z.output<Schema>;
