import type { Component } from "solid-js";
import type { IslandName } from "../model.ts";
import { FirstCall, type FirstCallProps } from "./first-call.tsx";
import { ModelTable, type ModelTableProps } from "./model-table.tsx";
import { PriceCalculator, type PriceCalculatorProps } from "./price-calculator.tsx";
import { StatusBoard, type StatusBoardProps } from "./status-board.tsx";

/** The props of each island; embedded in the page as JSON. */
export type IslandProps = {
  readonly "first-call": FirstCallProps;
  readonly "model-table": ModelTableProps;
  readonly "price-calculator": PriceCalculatorProps;
  readonly "status-board": StatusBoardProps;
};

/** The islands as the prerenderer draws them. */
export const islandComponents: { readonly [Name in IslandName]: Component<IslandProps[Name]> } = {
  "first-call": FirstCall,
  "model-table": ModelTable,
  "price-calculator": PriceCalculator,
  "status-board": StatusBoard,
};
