import { type Component, createComponent } from "solid-js";
import { hydrate } from "solid-js/web";
import type { IslandProps } from "./islands/islands.ts";
import type { IslandName } from "./model.ts";

type Loaders = { readonly [Name in IslandName]: () => Promise<Component<IslandProps[Name]>> };

/** Each island is a separate chunk, which the page names in its head. */
const loaders: Loaders = {
  "first-call": async () => (await import("./islands/first-call.tsx")).FirstCall,
  "model-table": async () => (await import("./islands/model-table.tsx")).ModelTable,
  "price-calculator": async () => (await import("./islands/price-calculator.tsx")).PriceCalculator,
  "status-board": async () => (await import("./islands/status-board.tsx")).StatusBoard,
};

declare global {
  interface Window {
    /** The framework's state between the page and its hydration; its own inline script is not allowed to run here. */
    _$HY?: { events: unknown[]; completed: WeakSet<object>; r: object; fe: () => void };
  }
}

window._$HY ??= { events: [], completed: new WeakSet(), r: {}, fe: () => undefined };

for (const element of document.querySelectorAll<HTMLElement>("[data-island]")) {
  void wake(element);
}

async function wake(element: HTMLElement): Promise<void> {
  const { island, props, renderId } = element.dataset;
  if (island === undefined || props === undefined || renderId === undefined || !Object.hasOwn(loaders, island)) {
    return;
  }
  // The name in the page and the props beside it were written together.
  const load = loaders[island as IslandName] as () => Promise<Component<Record<string, unknown>>>;
  const component = await load();
  hydrate(() => createComponent(component, JSON.parse(props)), element, { renderId });
}
