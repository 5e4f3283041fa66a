import type { channelList } from "@sluice/contracts/admin-lists/gateway";
import type { adoptModelsOutput, channelTest, savedChannel } from "@sluice/contracts/catalog-admin";
import { readChannelFile, toChannelFile } from "@sluice/contracts/channel-file";
import { composePreset, placeProblems } from "@sluice/contracts/compose-preset";
import type { RowOf } from "@sluice/contracts/lists";
import { findPreset, providerPresets } from "@sluice/contracts/provider-presets";
import type { ZodType, z } from "zod";
import type { Api } from "../api.ts";
import type { Call, Command, Output } from "../command.ts";
import { Failure } from "../failure.ts";
import { listOf } from "../parse-command.ts";
import { type Page, pageOptions, printPages, readAll } from "../read-pages.ts";
import { listed } from "../show.ts";

type Channel = RowOf<typeof channelList>;

const reason = { type: "string", text: "Why, for the audit log." } as const;
const whyOf = ({ reason: why }: Call["options"]) => (why === undefined ? {} : { reason: why });

const readPageOf =
  (api: Api) =>
  (query: object): Promise<Page<Channel>> =>
    api.get<ZodType<Page<Channel>>>("/backend/admin/channel/list/", { ...query });

async function list(call: Call): Promise<Output> {
  return await printPages(call, readPageOf(await call.connect()), [
    ["ID", ({ channel_id }) => channel_id],
    ["NAME", ({ name }) => name],
    ["STATUS", ({ status }) => status],
    ["DIALECTS", ({ upstream }) => Object.keys(upstream.dialects).join(",")],
    ["MODELS", ({ abilities }) => abilities.length],
  ]);
}

async function presets(): Promise<Output> {
  return listed(providerPresets, [
    ["PRESET", ({ id }) => id],
    ["NAME", ({ name }) => name],
    ["PLACES", ({ places }) => places.map(({ name }) => name).join(",")],
  ]);
}

/** The places of a preset's addresses, such as `region=eu,account=7`. */
function placesOf(text: string | undefined): Record<string, string> {
  return Object.fromEntries(
    (listOf(text) ?? []).map((part): [string, string] => {
      const at = part.indexOf("=");
      return at < 0 ? [part, ""] : [part.slice(0, at), part.slice(at + 1)];
    }),
  );
}

async function add({ connect, input, options }: Call): Promise<Output> {
  const preset = findPreset(options["preset"] ?? "");
  if (preset === null) {
    throw new Failure("usage", "This preset does not exist. See: sluice channels presets");
  }
  const places = placesOf(options["places"]);
  const [problem] = Object.entries(placeProblems(preset, places));
  if (problem !== undefined) {
    throw new Failure("usage", `--places ${problem[0]}=... : ${problem[1]}`);
  }
  const api = await connect();
  const credential = preset.needsCredential ? { credential: await input.secret(`Credential of ${preset.name}: `) } : {};
  const { channel } = await api.post<ZodType<{ readonly channel: z.output<typeof savedChannel> }>>(
    "/backend/admin/channel/save/",
    { name: options["name"], upstream: composePreset(preset, places), ...credential, ...whyOf(options) },
  );
  return { json: channel, text: `Channel ${channel.channel_id} was created.` };
}

async function test({ connect, options: { model }, words: [id] }: Call): Promise<Output> {
  const api = await connect();
  const answer = await api.post<ZodType<{ readonly test: z.output<typeof channelTest> }>>(
    "/backend/admin/channel/test/",
    { channel_id: id, ...(model === undefined ? {} : { model }) },
  );
  const { is_ok: isOk, model: tested, latency_ms: latency, error } = answer.test;
  if (!isOk) {
    throw new Failure("refused", `${tested} failed after ${latency} ms: ${error ?? "no response"}`);
  }
  return { json: answer.test, text: `${tested} responded in ${latency} ms.` };
}

const switching =
  (path: string, state: "enabled" | "disabled") =>
  async ({ connect, options, words: [id] }: Call): Promise<Output> => {
    const api = await connect();
    const changed = await api.post<ZodType<object>>(path, { channel_ids: [id], ...whyOf(options) });
    return { json: changed, text: `Channel ${id} is ${state}.` };
  };

async function exportAll({ connect }: Call): Promise<Output> {
  const file = toChannelFile(await readAll(readPageOf(await connect())));
  return { json: file, text: JSON.stringify(file, null, 2) };
}

async function importAll({ connect, input }: Call): Promise<Output> {
  const file = readChannelFile(await input.text());
  if (file === null) {
    throw new Failure("usage", "The standard input is not a file from: sluice channels export");
  }
  const api = await connect();
  const names = new Set((await readAll(readPageOf(api))).map(({ name }) => name));
  // Checked before anything is created, so that a file can be imported again after it was changed.
  const taken = file.channels.find(({ name }) => names.has(name));
  if (taken !== undefined) {
    throw new Failure("refused", `A channel with the name ${taken.name} exists. Nothing was imported.`);
  }
  const made: { name: string; channel_id: string | number | null }[] = [];
  for (const channel of file.channels) {
    // They get no calls before somebody has entered their credentials.
    const wish = { ...channel, status: "disabled" };
    const answer = await api.post<typeof adoptModelsOutput>("/backend/admin/channel/adopt/", wish);
    made.push({ name: channel.name, channel_id: "adopted" in answer ? answer.adopted.channel_id : null });
  }
  return listed(made, [
    ["ID", ({ channel_id }) => channel_id ?? "waits for a second person"],
    ["NAME", ({ name }) => name],
  ]);
}

export const channelCommands: readonly Command[] = [
  { name: "channels list", text: "Lists channels.", options: pageOptions, run: list },
  { name: "channels presets", text: "Lists the providers that channels can be added for.", run: presets },
  {
    name: "channels add",
    text: "Adds a channel from a preset. Its credential is read from the standard input or asked for.",
    options: {
      preset: { type: "string", text: "The provider; see: sluice channels presets", isRequired: true },
      name: { type: "string", text: "The name of the channel.", isRequired: true },
      places: { type: "string", text: "Parts of its addresses, such as region=eu." },
      reason,
    },
    run: add,
  },
  {
    name: "channels test",
    words: ["<id>"],
    text: "Makes a small call, which the provider bills. Fails if the channel does.",
    options: { model: { type: "string", text: "The model; by default the first one of the channel." } },
    run: test,
  },
  {
    name: "channels enable",
    words: ["<id>"],
    text: "Enables a channel.",
    options: { reason },
    run: switching("/backend/admin/channel/enable/", "enabled"),
  },
  {
    name: "channels disable",
    words: ["<id>"],
    text: "Disables a channel.",
    options: { reason },
    run: switching("/backend/admin/channel/disable/", "disabled"),
  },
  { name: "channels export", text: "Prints all channels as JSON, without credentials.", run: exportAll },
  {
    name: "channels import",
    text: "Creates the channels of a file from the standard input, disabled and without credentials.",
    run: importAll,
  },
];
