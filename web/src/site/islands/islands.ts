import type { Component } from "solid-js";
import type { IslandName } from "../model.ts";
import { PriceCalculator, type PriceCalculatorProps } from "./price-calculator.tsx";

/** What each island is given; it travels in the page as JSON. */
export type IslandProps = {
  readonly "price-calculator": PriceCalculatorProps;
};

/** The islands as the prerenderer draws them. */
export const islandComponents: { readonly [Name in IslandName]: Component<IslandProps[Name]> } = {
  "price-calculator": PriceCalculator,
};
