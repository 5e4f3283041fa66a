import type { Queryable } from "../platform/db.ts";
import { insertModel, insertPriceVersion, type NewModel, type NewPrice } from "./model-store.ts";

/** Adds a model with its first price; an existing model stays as it is. */
export async function addModel(tx: Queryable, model: NewModel, price: Omit<NewPrice, "model">): Promise<void> {
  if (await insertModel(tx, model)) {
    await insertPriceVersion(tx, { ...price, model: model.name });
  }
}
