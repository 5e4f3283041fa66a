import type { Note } from "../source/model.ts";
import type { Deployment } from "./deployment.ts";
import { textsOf } from "./model.ts";

/** The most models that a key names. */
const modelsMax = 200;
const [allOfTeam, allOfProxy, none] = ["all-team-models", "all-proxy-models", "no-default-models"];

/** The models of the program, and the names of groups of them that lists may hold instead. */
export type ModelLists = {
  readonly models: ReadonlySet<string>;
  readonly accessGroups: ReadonlyMap<string, readonly string[]>;
};

export function modelListsOf(deployments: readonly Deployment[]): ModelLists {
  const groups = new Map<string, string[]>();
  for (const { modelName, info } of deployments) {
    for (const group of textsOf(info["access_groups"])) {
      groups.set(group, [...(groups.get(group) ?? []), modelName]);
    }
  }
  return { models: new Set(deployments.map(({ modelName }) => modelName)), accessGroups: groups };
}

type Lists = { readonly own: readonly string[]; readonly owner: readonly string[]; readonly note: Note };

/**
 * The models that a key may call by its list and by that of its team or user, written out; null for all. An empty list
 * allows all, as does `all-proxy-models`.
 */
export function narrowModels(lists: ModelLists, { own, owner, note }: Lists): readonly string[] | null {
  const ofOwner = expand(lists, owner, note);
  const ofKey = own.includes(allOfTeam) ? null : expand(lists, own, note);
  const both = ofKey === null ? ofOwner : ofOwner === null ? ofKey : ofKey.filter((name) => ofOwner.includes(name));
  if (both === null || both.length <= modelsMax) {
    return both;
  }
  note("decide", `It may call ${both.length} models; a key names at most ${modelsMax} here. The others are left out.`);
  return both.slice(0, modelsMax);
}

function expand({ models, accessGroups }: ModelLists, list: readonly string[], note: Note): readonly string[] | null {
  if (list.length === 0 || list.includes(allOfProxy) || list.includes(allOfTeam) || list.includes("*")) {
    return null;
  }
  const found = list.flatMap((name): readonly string[] => {
    if (name === none) {
      return [];
    }
    const group = accessGroups.get(name);
    if (group !== undefined) {
      return group;
    }
    if (name.includes("*")) {
      const [start = ""] = name.split("*");
      const matching = [...models].filter((model) => model.startsWith(start));
      note("note", `It may call ${name}; here that is written out: ${matching.join(", ") || "none"}.`);
      return matching;
    }
    return [name];
  });
  return [...new Set(found)];
}
