import { adminOperation } from "@sluice/contracts/admin-rights";
import {
  mailPreviewResponse,
  mailTemplateInput,
  mailTemplateListResponse,
  mailTemplateNames,
  mailTemplateResponse,
  previewMailTemplateInput,
  savedMailTemplateResponse,
  saveMailTemplateInput,
} from "@sluice/contracts/mail";
import { z } from "zod";
import { audit, byCaller } from "../../admin/audit/service.ts";
import type { Database } from "../../platform/db.ts";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import { AppError } from "../../platform/errors.ts";
import type { MailLook, MailTemplateName } from "../model.ts";
import { renderMail } from "../render.ts";
import { checkTemplate } from "./check-template.ts";
import { builtInTemplate, type TemplateSource } from "./layout.ts";
import { sampleVariables } from "./sample-variables.ts";
import { sharedNames, templateShapes } from "./shape.ts";
import type { SharedValues } from "./show-values.ts";
import { findTemplate, listSavedTemplates, type SavedTemplate, saveTemplate } from "./template-store.ts";

export type TemplateEndpointDeps = {
  readonly db: Database;
  readonly shared: SharedValues;
  /** The target of links in a preview. */
  readonly siteUrl: string;
  readonly look: () => MailLook;
};

export function templateEndpoints(deps: TemplateEndpointDeps): AnyEndpoint[] {
  return [listEndpoint(deps), readEndpoint(deps), saveEndpoint(deps), previewEndpoint(deps)];
}

function listEndpoint({ db }: TemplateEndpointDeps): AnyEndpoint {
  return endpoint({
    method: "GET",
    path: "/backend/admin/mail/template/list/",
    access: "admin",
    input: z.strictObject({}),
    summary: "List the e-mail templates, what each can show, and which were changed",
    output: mailTemplateListResponse,
    errors: [],
    handle: async () => ({
      templates: mailTemplateNames.map((name) => ({ name, ...variablesOf(name) })),
      changed: (await listSavedTemplates(db)).map(({ updatedAt, ...row }) => ({ ...row, updated_at: updatedAt })),
    }),
  });
}

function readEndpoint({ db, look }: TemplateEndpointDeps): AnyEndpoint {
  return endpoint({
    method: "GET",
    path: "/backend/admin/mail/template/",
    access: "admin",
    input: mailTemplateInput,
    summary: "Get an e-mail template in one language, as it is now and as shipped",
    output: mailTemplateResponse,
    errors: [],
    handle: async ({ input: { name, locale } }) => {
      const saved = await findTemplate(db, name, locale);
      const builtIn = builtInTemplate(name, locale, look());
      const current = saved === null ? { ...builtIn, version: 0 } : withoutDate(saved);
      return { template: { name, locale, ...current }, built_in: builtIn, ...variablesOf(name) };
    },
  });
}

function saveEndpoint({ db }: TemplateEndpointDeps): AnyEndpoint {
  return endpoint({
    method: "POST",
    ...adminOperation("/backend/admin/mail/template/save/"),
    input: saveMailTemplateInput,
    summary: "Save an e-mail template that replaces the shipped one",
    output: savedMailTemplateResponse,
    errors: ["conflict"],
    handle: async ({ input: { name, locale, version, ...source }, ...call }) => {
      refuseUnfit(name, source);
      const saved = await db.withTransaction(async (tx) => {
        const before = await findTemplate(tx, name, locale);
        const after = await saveTemplate(tx, { name, locale }, source, version ?? before?.version ?? 0);
        if (after === null) {
          throw new AppError("conflict");
        }
        await audit(tx, byCaller(call), "mail_template.save", {
          subjectKind: "mail_template",
          subjectId: `${name}/${locale}`,
          before: before === null ? null : withoutDate(before),
          after: withoutDate(after),
        });
        return after;
      });
      return { template: { name, locale, ...withoutDate(saved) } };
    },
  });
}

function previewEndpoint({ db, shared, siteUrl, look }: TemplateEndpointDeps): AnyEndpoint {
  return endpoint({
    method: "POST",
    ...adminOperation("/backend/admin/mail/template/preview/"),
    input: previewMailTemplateInput,
    summary: "Preview an e-mail template with sample values; nothing is saved or sent",
    output: mailPreviewResponse,
    errors: [],
    handle: async ({ input: { name, locale, subject, html, text } }) => {
      const now = (await findTemplate(db, name, locale)) ?? builtInTemplate(name, locale, look());
      const source = { subject: subject ?? now.subject, html: html ?? now.html, text: text ?? now.text };
      refuseUnfit(name, source);
      const variables = sampleVariables(siteUrl)[name];
      return { preview: renderMail(source, { template: name, locale, variables }, { shared, look: look() }) };
    },
  });
}

function refuseUnfit(name: MailTemplateName, source: TemplateSource): void {
  const fields = checkTemplate(name, source);
  if (Object.keys(fields).length > 0) {
    throw new AppError("invalid_value", { fields });
  }
}

function variablesOf(name: MailTemplateName): { readonly variables: string[]; readonly required: readonly string[] } {
  const { names, required } = templateShapes[name];
  return { variables: [...sharedNames, ...names], required };
}

function withoutDate({ subject, html, text, version }: SavedTemplate): TemplateSource & { readonly version: number } {
  return { subject, html, text, version };
}
