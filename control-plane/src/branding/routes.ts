import { adminOperation } from "@sluice/contracts/admin-rights";
import { type ConsentPage, consentPages, imageBytesMax } from "@sluice/contracts/brand";
import {
  brandingResponse,
  type ImageView,
  legalInput,
  legalResponse,
  previewedLegalResponse,
  previewLegalInput,
  savedImageResponse,
  savedLegalResponse,
  savedTextResponse,
  saveImageInput,
  saveLegalInput,
  saveTextInput,
  type TextView,
} from "@sluice/contracts/branding";
import { z } from "zod";
import { byCaller } from "../admin/audit/service.ts";
import type { Database } from "../platform/db.ts";
import { type AdminCaller, type AnyEndpoint, endpoint } from "../platform/endpoint/model.ts";
import { imagePath } from "./model.ts";
import { renderLegal } from "./render-legal.ts";
import { saveImage, saveLegal, saveText } from "./save.ts";
import {
  type Editor,
  findEdition,
  type ImageRow,
  listImages,
  listLegalVersions,
  listTexts,
  listVersionsOf,
  type TextRow,
} from "./store.ts";

/** A file is sent in base64, which takes a third more. */
const imageBodyBytesMax = Math.ceil(imageBytesMax / 3) * 4 + 4_096;
/** A character takes up to six bytes in JSON. */
const textBodyBytesMax = 400_000;

export type BrandingRouteDeps = {
  readonly db: Database;
  /** How many users accepted the editions of a page, and how many have yet to accept this one. */
  readonly countConsents: (of: { readonly page: ConsentPage; readonly edition: number }) => Promise<{
    readonly editions: readonly { readonly edition: number; readonly accepted: bigint }[];
    readonly waiting: bigint;
  }>;
};

/** What admins upload and write for the look of the service. */
export function brandingEndpoints(deps: BrandingRouteDeps): AnyEndpoint[] {
  const { db } = deps;
  return [
    endpoint({
      method: "GET",
      path: "/backend/admin/branding/",
      access: "admin",
      input: z.strictObject({}),
      summary: "Get the operator's images, texts of the home page and footer, and legal pages",
      output: brandingResponse,
      errors: [],
      handle: async () => ({
        images: (await listImages(db)).map(imageView),
        texts: (await listTexts(db)).map(textView),
        legal: await listLegalVersions(db),
      }),
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/branding/image/save/"),
      input: saveImageInput,
      bodyBytesMax: imageBodyBytesMax,
      summary: "Upload, replace or remove the logo, the icon or the link preview image",
      output: savedImageResponse,
      errors: ["invalid_value", "conflict"],
      limits: [`An image may have up to ${imageBytesMax / 1024} KiB.`],
      handle: async ({ input, ...call }) => {
        const saved = await saveImage(db, input, { editor: editorOf(call.admin), origin: byCaller(call) });
        return { image: saved === null ? null : imageView(saved) };
      },
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/branding/text/save/"),
      input: saveTextInput,
      summary: "Change what the home page and the footer say in one language",
      output: savedTextResponse,
      errors: ["invalid_value", "conflict"],
      handle: async ({ input, ...call }) => ({
        text: textView(await saveText(db, input, { editor: editorOf(call.admin), origin: byCaller(call) })),
      }),
    }),
    ...legalEndpoints(deps),
  ];
}

function legalEndpoints({ db, countConsents }: BrandingRouteDeps): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/backend/admin/branding/legal/",
      access: "admin",
      input: legalInput,
      summary: "Get a legal page in one language, with its versions, and by how many users its editions were accepted",
      output: legalResponse,
      errors: [],
      handle: async ({ input }) => {
        const versions = await listVersionsOf(db, input);
        const edition = await findEdition(db, input.page);
        const page = consentPages.find((each) => each === input.page);
        return {
          markdown: versions[0]?.markdown ?? "",
          changes: versions[0]?.changes ?? "",
          versions: versions.map(({ markdown: _, changes: __, ...version }) => version),
          edition,
          ...(page === undefined ? { editions: [], waiting: 0n } : await countConsents({ page, edition })),
        };
      },
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/branding/legal/save/"),
      input: saveLegalInput,
      bodyBytesMax: textBodyBytesMax,
      summary:
        "Publish a new version of a legal page in one language, or withdraw it; a change that needs consent is asked of every user at the next login or opening of the console",
      output: savedLegalResponse,
      errors: ["conflict", "invalid_value"],
      handle: async ({ input, ...call }) => ({
        legal: await saveLegal(db, input, { editor: editorOf(call.admin), origin: byCaller(call) }),
      }),
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/branding/legal/preview/"),
      input: previewLegalInput,
      bodyBytesMax: textBodyBytesMax,
      summary: "Preview a legal page; nothing is saved",
      output: previewedLegalResponse,
      errors: [],
      handle: async ({ input }) => ({ html: renderLegal(input.markdown) }),
    }),
  ];
}

const editorOf = ({ adminId, username }: AdminCaller): Editor => ({ adminId, username });

function imageView(row: ImageRow): ImageView {
  const { kind, hash, contentType, width, height, size, updatedByName, updatedAt } = row;
  return {
    ...{ kind, hash, width, height },
    url: imagePath(row),
    type: contentType,
    bytes: size,
    updated_by: updatedByName,
    updated_at: updatedAt,
  };
}

function textView({ locale, headline, sub_line, links, version, updatedByName, updatedAt }: TextRow): TextView {
  return {
    ...{ locale, headline, sub_line, links, version },
    updated_by: updatedByName,
    updated_at: updatedAt,
  };
}
