import { describe, expect, test } from "bun:test";
import type { Ability, Channel } from "@sluice/control-plane/gateway/channels/model.ts";
import { chooseChannel } from "@sluice/control-plane/gateway/dispatch/choose-channel.ts";
import { seededRandom } from "@sluice/sandbox-provider/wire/seeded-random";
import fc from "fast-check";
import { abilityOf, channelOf } from "../../../support/calls/channel-fixtures.ts";

const ability = (id: number, priority: number, weight: number): Ability =>
  abilityOf(channelOf(id), { priority, weight });
const isOpen = () => true;
const all = () => true;

/** How often each channel is chosen, by id. */
function draw(abilities: readonly Ability[], draws: number): Record<string, number> {
  const random = seededRandom(42);
  const counts: Record<string, number> = {};
  for (let turn = 0; turn < draws; turn += 1) {
    const id = String(chooseChannel(abilities, isOpen, { speaks: all }, random())?.channel.id);
    counts[id] = (counts[id] ?? 0) + 1;
  }
  return counts;
}

const anyAbilities = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 5 })), { maxLength: 8 })
  .map((pairs) =>
    pairs
      .map(([priority, weight], index) => ability(index + 1, priority, weight))
      .toSorted((one, other) => one.priority - other.priority),
  );
const someIds = fc.uniqueArray(fc.integer({ min: 1, max: 8 }));
const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe("the choice of a channel", () => {
  test("follows the weights", () => {
    const counts = draw([ability(1, 0, 1), ability(2, 0, 3), ability(3, 0, 6)], 20_000);
    for (const [id, share] of [
      ["1", 0.1],
      ["2", 0.3],
      ["3", 0.6],
    ] as const) {
      // Four standard deviations of 20,000 draws are below 0.014.
      expect(Math.abs((counts[id] ?? 0) / 20_000 - share)).toBeLessThan(0.014);
    }
  });

  test("excludes a channel without weight while its tier has any weight, and is even when it has none", () => {
    expect(draw([ability(1, 0, 0), ability(2, 0, 1)], 1_000)).toEqual({ "2": 1_000 });
    const even = draw([ability(1, 0, 0), ability(2, 0, 0)], 10_000);
    expect(Math.abs((even["1"] ?? 0) / 10_000 - 0.5)).toBeLessThan(0.02);
  });

  test("is always of the first priority that has a channel left, and none only if there is none", () => {
    fc.assert(
      fc.property(anyAbilities, someIds, chance, (abilities, closed, random) => {
        const isLeft = ({ id }: Channel) => !closed.includes(Number(id));
        const left = abilities.filter(({ channel }) => isLeft(channel));
        const chosen = chooseChannel(abilities, isLeft, { speaks: all }, random);
        expect(chosen === null).toBe(left.length === 0);
        expect(chosen?.priority).toBe(left[0]?.priority);
      }),
    );
  });

  test("prefers channels that speak the client's dialect, within the first priority only", () => {
    const speaks = ({ id }: Channel) => id === 2n || id === 3n;
    const abilities = [ability(1, 0, 5), ability(2, 0, 1), ability(3, 1, 1)];
    expect(chooseChannel(abilities, isOpen, { speaks }, 0.1)?.channel.id).toBe(abilities[1]?.channel.id);
    const isNotSecond = ({ id }: Channel) => id !== 2n;
    expect(chooseChannel(abilities, isNotSecond, { speaks }, 0.1)?.channel.id).toBe(abilities[0]?.channel.id);
  });

  test("with the same random number is the same", () => {
    fc.assert(
      fc.property(anyAbilities, chance, (abilities, random) => {
        expect(chooseChannel(abilities, isOpen, { speaks: all }, random)).toBe(
          chooseChannel(abilities, isOpen, { speaks: all }, random),
        );
      }),
    );
  });
});
