import type { Finding, PeerChannel } from "../model.ts";
import type { Row, Source } from "./model.ts";
import { flagOf, lineOf, textOf } from "./read-values.ts";
import type { UnreadColumns } from "./unread-columns.ts";

/** More are counted: they are the same everywhere. */
const toldMax = 50;
/** More than any operator has; the rest is compared with nothing. */
const abilitiesMax = 1_000_000;
const nameLengthMax = 200;

/**
 * Compares the abilities, by which the other program chooses channels, with the lists of its channels, by which they are
 * made here. Those that went stale serve other calls there than the channels say.
 */
export async function compareAbilities(
  source: Source,
  channels: readonly PeerChannel[],
  unread: UnreadColumns,
  findings: Finding[],
): Promise<void> {
  if ((await source.columnsOf("abilities")) === null) {
    return;
  }
  const byId = new Map(channels.map((channel) => [channel.id, channel]));
  const said = new Told(findings);
  const seen = new Set<string>();
  for await (const row of source.rows("abilities", "channel_id", "group", "model")) {
    unread.see(row);
    const ability = abilityOf(row);
    const problem = problemOf(ability, byId.get(ability.channelId));
    if (problem !== null) {
      said.tell(problem.level, nameOf(ability), problem.text);
    }
    if (seen.size < abilitiesMax) {
      seen.add(nameOf(ability));
    }
  }
  unread.note(findings);
  if (seen.size < abilitiesMax) {
    for (const ability of servedBy(channels).filter((each) => !seen.has(nameOf(each)))) {
      said.tell("note", nameOf(ability), "It is missing there, though the channel has the model; it is created here.");
    }
  }
  said.end();
}

type Ability = { readonly group: string; readonly model: string; readonly channelId: string };

const nameOf = ({ group, model, channelId }: Ability): string => `${group}, ${model}, channel ${channelId}`;

function abilityOf(row: Row): Ability & { readonly isEnabled: boolean } {
  return {
    group: lineOf(row["group"]).slice(0, nameLengthMax),
    model: lineOf(row["model"]).slice(0, nameLengthMax),
    channelId: textOf(row["channel_id"]),
    isEnabled: flagOf(row["enabled"]),
  };
}

type Problem = { readonly level: Finding["level"]; readonly text: string };

function problemOf(
  { group, model, isEnabled }: ReturnType<typeof abilityOf>,
  channel: PeerChannel | undefined,
): Problem | null {
  if (channel === undefined) {
    return { level: "lost", text: "It is stale: the channel does not exist." };
  }
  if (!channel.models.includes(model)) {
    return { level: "lost", text: "It is stale: the channel does not have the model any more." };
  }
  if (!channel.groups.includes(group)) {
    return { level: "lost", text: "It is stale: the channel does not serve the group any more." };
  }
  return channel.isEnabled && !isEnabled
    ? { level: "decide", text: "It is off there, though its channel is on. It is on here: switch it off if you want." }
    : null;
}

function servedBy(channels: readonly PeerChannel[]): readonly Ability[] {
  return channels.flatMap(({ id, groups, models }) =>
    groups.flatMap((group) => models.map((model) => ({ group, model: model.slice(0, nameLengthMax), channelId: id }))),
  );
}

/** Tells the first ones row by row, and how many more there are. */
class Told {
  readonly #findings: Finding[];
  readonly #counts = new Map<Finding["level"], number>();

  constructor(findings: Finding[]) {
    this.#findings = findings;
  }

  tell(level: Finding["level"], id: string, text: string): void {
    const count = (this.#counts.get(level) ?? 0) + 1;
    this.#counts.set(level, count);
    if (count <= toldMax) {
      this.#findings.push({ level, table: "abilities", id, text });
    }
  }

  end(): void {
    for (const [level, count] of this.#counts) {
      if (count > toldMax) {
        const text = "They also differ from the lists of their channels.";
        this.#findings.push({ level, table: "abilities", id: `${count - toldMax} further rows`, text });
      }
    }
  }
}
