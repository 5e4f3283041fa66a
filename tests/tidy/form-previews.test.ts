import { expect, test } from "bun:test";
import { adminRights } from "@sluice/contracts/admin-rights";
import { previewedOperations } from "@sluice/contracts/previewed-operations";
import { readTree } from "./tree.ts";

/**
 * What forms of the admin do without a preview of the server, and why. Everything else that a form does is previewed:
 * `control-plane/src/admin/change-preview` rehearses it, and the form has a `body`.
 */
const withoutPreview: Readonly<Record<string, string>> = {
  "/backend/admin/exit-node/save/": "it sends the relay key to the address, which may be half typed",
  "/backend/admin/sign-in-provider/save/": "it asks the issuer, whose address may be half typed",
  "/backend/admin/renewal/cancel/": "it asks the card gateway",
  "/backend/admin/price-data/source/save/": "it changes no price; proposals are made of it",
  "/backend/admin/channel/adopt/": "it makes something new, which the form lists",
  "/backend/admin/admin/create/": "it counts mails outside its transaction; the form says what it sends",
  "/backend/admin/admin/password-link/": "it sends a mail, as the form says",
  "/backend/admin/admin/sessions/revoke/": "it ends sessions, as the form says",
  "/backend/admin/totp/remove/": "it ends sessions, as the form says",
  "/backend/admin/trace/payload/": "it reads",
  "/backend/admin/secret/uses/": "it reads",
  "/backend/admin/secret/remove/": "the form lists first what needs the secret",
  "/backend/admin/approval/decide/": "the page shows what the request would do now",
  "/backend/admin/user/closing/begin/": "it has a preview of its own",
  "/backend/admin/user/closing/undo/": "it only keeps what is there",
  "/backend/admin/manual-adjust/": "it has a preview of its own",
  "/backend/admin/refund/create/": "it has a preview of its own",
  "/backend/admin/top-up/close/": "it has a preview of its own",
  "/backend/admin/order/resolve/": "it asks the payment gateway; the form says what each decision does",
  "/backend/admin/channel/test/": "it makes a call",
  "/backend/admin/channel/models/": "it reads",
  "/backend/admin/branding/legal/preview/": "it is a preview",
  "/backend/admin/mail/template/preview/": "it is a preview",
};

const isRead = /\/(list|detail)\/$/;
/** What concerns the admin's own login. */
const isOwn = /^\/backend\/auth\//;

const previewed: ReadonlySet<string> = new Set(previewedOperations);

/** What a button does at once, or opens; the form that it opens is in a file, too. */
const button = /<ActButton\s+operation="[^"]+"/g;

/** The files of the admin that hold forms, with the operations that they name in full. */
function formFiles(): { readonly path: string; readonly code: string; readonly operations: readonly string[] }[] {
  return readTree()
    .filter(({ path, text }) => path.startsWith("web/src/admin/pages/") && text.includes("<AdminForm"))
    .map(({ path, text: code }) => ({
      ...{ path, code },
      operations: [...code.replaceAll(button, "").matchAll(/"(\/backend\/[\w/-]+\/)"/g)]
        .map(([, operation = ""]) => operation)
        .filter((operation) => operation in adminRights && !isRead.test(operation) && !isOwn.test(operation)),
    }));
}

test("every form of the admin says what would happen, or has a reason not to", () => {
  const files = formFiles();
  expect(files.length).toBeGreaterThan(30);
  const silent = files.flatMap(({ path, operations }) =>
    operations
      .filter((operation) => !previewed.has(operation) && withoutPreview[operation] === undefined)
      .map((operation) => `${path}: ${operation}`),
  );
  expect(silent).toEqual([]);
});

test("a form whose operation is previewed says what it would send", () => {
  const missing = formFiles()
    .filter(({ operations, code }) => operations.some((each) => previewed.has(each)) && !/\bbody\b/.test(code))
    .map(({ path }) => path);
  expect(missing).toEqual([]);
});

test("no reason is left over", () => {
  expect(Object.keys(withoutPreview).filter((each) => previewed.has(each) || !(each in adminRights))).toEqual([]);
});
