import { type Accessor, createContext, type JSX, useContext } from "solid-js";
import { type KitTexts, kitTextsEn } from "./kit-texts-en.ts";

const KitTextsContext = createContext<Accessor<KitTexts>>(() => kitTextsEn);

/** Gives the kit its texts in another language. */
export function KitTextsProvider(props: {
  readonly texts: Accessor<KitTexts>;
  readonly children: JSX.Element;
}): JSX.Element {
  return <KitTextsContext.Provider value={props.texts}>{props.children}</KitTextsContext.Provider>;
}

export function useKitTexts(): Accessor<KitTexts> {
  return useContext(KitTextsContext);
}
