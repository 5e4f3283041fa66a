/** The login pages, as forms that work without JavaScript. */
import type { Locale } from "@sluice/contracts/locales";
import type {
  AdminLoginPageState,
  CodePageState,
  LoginPageState,
  OfferedSignIn,
  ResetPageState,
  SentPageState,
  VerifyPageState,
} from "../accounts/port.ts";
import type { FormPageState } from "../platform/form-problem.ts";
import { type Html, html } from "../platform/html.ts";
import { formPath } from "../platform/page-locale.ts";
import {
  type FormLook,
  formField,
  formPage,
  goodNotice,
  hiddenField,
  moreLink,
  problemNotice,
  problemText,
  sitePath,
  submitButton,
} from "./form-page.ts";
import { adminFormTexts } from "./form-texts/admin.ts";
import { formTexts } from "./form-texts/messages.ts";

export const emailAttributes = (email: string): Html =>
  html`type="email" autocomplete="username" maxlength="254" required value="${email}"`;
/** Users of other gateways may log in by the names that they had there. */
const accountAttributes = (account: string): Html =>
  html`type="text" inputmode="email" autocapitalize="none" spellcheck="false" autocomplete="username" maxlength="254" required value="${account}"`;
const passwordAttributes = html`type="password" autocomplete="current-password" required`;
export const newPasswordAttributes = html`type="password" autocomplete="new-password" minlength="8" maxlength="256" required`;
/** A recovery code has letters, so a numeric keyboard would prevent it. */
const codeAttributes = html`autocomplete="one-time-code" autocapitalize="characters" spellcheck="false" maxlength="40" required autofocus`;

/** A text with a value in its placeholder, whatever the direction of both. */
export function textWith(placeholder: string, text: string, value: string | Html): Html {
  const [before = "", after = ""] = text.split(placeholder);
  return html`${before}<bdi>${value}</bdi>${after}`;
}

const textWithEmail = (text: string, email: string): Html => textWith("{email}", text, email);
const textWithName = (text: string, name: string): Html => textWith("{name}", text, name);

/** The login; with the code field once a code is known to be needed, and without a form for logged-in users. */
export function loginPage(state: LoginPageState, status: number, look: FormLook): Response {
  const { locale, email, next, problem, asksForCode, signedInAs } = state;
  const texts = formTexts[locale];
  const notices: Readonly<Record<string, string>> = texts.notices;
  const notice = state.notice !== null && Object.hasOwn(notices, state.notice) ? (notices[state.notice] ?? null) : null;
  const form = html`<form method="post" action="/login/">
${hiddenField("lang", locale)}${hiddenField("next", next)}
${formField("email", texts.email, accountAttributes(email))}
${formField("password", texts.password, passwordAttributes)}
${asksForCode ? formField("code", texts.login.code, codeAttributes) : null}
${submitButton(texts.login.submit)}
</form>
${state.hasPasskeys ? passkeyButton(next, locale) : null}
${signInLinks(state.signIns, { next }, locale)}
${problem?.code === "email_not_verified" ? moreLink(formPath("/verify-email/", locale), texts.login.resend) : null}
${moreLink(formPath("/reset-password/", locale), texts.login.forgot)}
${moreLink(formPath("/register/", locale), texts.login.register, texts.login.noAccount)}`;
  const body = html`${goodNotice(notice)}${problemNotice(problemText(problem, locale))}
${signedInAs === null ? form : signedIn(signedInAs, next, locale)}`;
  const address = next === "" ? "/login/" : `/login/?next=${encodeURIComponent(next)}`;
  const scripts = state.hasPasskeys && signedInAs === null && look.assets !== null ? [look.assets.showPasskey] : [];
  return formPage({ locale, title: texts.login.title, body, status, look, address, isCounted: true, scripts });
}

/** Hidden until a script has found that the browser knows passkeys. It carries the words for what can go wrong. */
function passkeyButton(next: string, locale: Locale): Html {
  const { login, problems } = formTexts[locale];
  const words = Object.entries(problems).map(([code, text]) => html`<span data-code="${code}">${text}</span>`);
  return html`<div class="form-passkey" data-passkey data-next="${next}" hidden>
<button type="button" class="button">${login.withPasskey}</button>
<p class="notice" data-tone="bad" role="alert" hidden></p>
<template>${words}</template>
</div>`;
}

/** What a sign-in takes along: where to continue, or the code of an invitation. */
type Brought = { readonly next: string } | { readonly invitation: string };

/** The services where people can sign in instead. They are links: a form could not lead to another site from here. */
export function signInLinks(signIns: readonly OfferedSignIn[], brought: Brought, locale: Locale): Html | null {
  if (signIns.length === 0) {
    return null;
  }
  const { or, continueWith } = formTexts[locale].login;
  const named = Object.entries(brought).filter(([, value]) => value !== "");
  const query = named.length === 0 ? "" : `?${new URLSearchParams(named).toString()}`;
  const link = ({ slug, label }: OfferedSignIn): Html =>
    html`<a class="button" href="/login/with/${slug}/${query}"><span>${textWithName(continueWith, label)}</span></a>`;
  return html`<p class="form-or">${or}</p>
<div class="form-sign-ins">${signIns.map(link)}</div>`;
}

/** The question for the code of an authenticator, after a sign-in elsewhere. */
export function codePage(state: CodePageState, status: number, look: FormLook): Response {
  const { locale, next, problem } = state;
  const texts = formTexts[locale];
  const body = html`${problemNotice(problemText(problem, locale))}
<form method="post" action="/login/code/">
${hiddenField("lang", locale)}${hiddenField("next", next)}
${formField("code", texts.login.code, codeAttributes)}
${submitButton(texts.login.submit)}
</form>
${moreLink(formPath("/login/", locale), texts.login.otherWay)}`;
  return formPage({ locale, title: texts.login.title, body, status, look, address: null });
}

function signedIn(email: string, next: string, locale: Locale): Html {
  const { login } = formTexts[locale];
  return html`<p>${textWithEmail(login.signedIn, email)}</p>
<p class="form-actions"><a class="button" data-variant="primary" href="${next === "" ? "/console/" : next}">${login.toConsole}</a></p>
<form method="post" action="/backend/auth/logout/"><button class="button">${login.logOut}</button></form>`;
}

/** The page after a registration, which is the same whether or not the address was free. */
export function sentPage({ locale, email, link }: SentPageState, look: FormLook): Response {
  const texts = formTexts[locale];
  const shown =
    link === null ? null : html`<p class="notice">${texts.sent.shown} <a href="${link}">${texts.sent.open}</a></p>`;
  const body = html`<p>${textWithEmail(texts.sent.text, email)}</p>
${shown}
<p class="form-more">${texts.sent.again}</p>
<form method="post" action="/verify-email/">
${hiddenField("lang", locale)}${hiddenField("email", email)}
<button class="button">${texts.sent.submit}</button>
</form>`;
  return formPage({ locale, title: texts.sent.title, body, status: 200, look, address: null });
}

/** The button that redeems a link; without a link, the form that requests one. */
export function verifyPage(state: VerifyPageState, status: number, look: FormLook): Response {
  const { locale, token, email, problem, purpose } = state;
  const texts = formTexts[locale];
  const confirm = {
    email_verify: texts.verify.confirm,
    email_change: texts.verify.change,
    email_undo: texts.verify.undo,
  }[purpose];
  const fields =
    token === ""
      ? html`${formField("email", texts.email, emailAttributes(email))}
${submitButton(texts.verify.submit)}`
      : html`${hiddenField("token", token)}
${submitButton(purpose === "email_undo" ? texts.verify.undoButton : texts.sent.open)}`;
  const body = html`${problemNotice(problemText(problem, locale))}
<p>${token === "" ? texts.verify.text : confirm}</p>
<form method="post" action="/verify-email/">
${hiddenField("lang", locale)}
${fields}
</form>
${moreLink(formPath("/login/", locale), texts.login.submit)}`;
  return formPage({ locale, title: texts.verify.title, body, status, look, address: "/verify-email/" });
}

/** The form for a new password, if the reset link is valid; without a link, the form that requests one. */
export function resetPage(state: ResetPageState, status: number, look: FormLook): Response {
  const { locale, token, email, problem } = state;
  const texts = formTexts[locale];
  const fields =
    token === ""
      ? html`${formField("email", texts.email, emailAttributes(email))}
${submitButton(texts.reset.send)}`
      : html`${hiddenField("token", token)}
${formField("password", texts.reset.newPassword, newPasswordAttributes, texts.register.passwordHint)}
${endBox("end_sign_ins", texts.reset.endSignIns, state.signIns)}
${endBox("end_passkeys", texts.reset.endPasskeys, state.passkeys)}
${submitButton(texts.reset.set)}`;
  const body = html`${problemNotice(problemText(problem, locale))}
${token === "" ? html`<p>${texts.reset.text}</p>` : null}
<form method="post" action="/reset-password/">
${hiddenField("lang", locale)}${fields}
</form>
${moreLink(formPath("/login/", locale), texts.login.submit)}`;
  const address = token === "" ? "/reset-password/" : `/reset-password/?token=${encodeURIComponent(token)}`;
  return formPage({ locale, title: texts.reset.title, body, status, look, address });
}

/** Offers to remove what somebody who knew the old password may have added. */
function endBox(name: string, text: string, added: readonly string[]): Html | null {
  if (added.length === 0) {
    return null;
  }
  const label = textWith("{names}", text, added.join(", "));
  return html`<label class="check" for="${name}"><input type="checkbox" id="${name}" name="${name}" value="yes"><span>${label}</span></label>`;
}

/**
 * The page for a company's request that was refused. The browser's back button leads to the form with everything typed.
 */
export function contactProblemPage(state: FormPageState, status: number, look: FormLook): Response {
  const { locale, problem } = state;
  const { contact } = formTexts[locale];
  const body = html`${problemNotice(problemText(problem, locale))}
${moreLink(sitePath("/contact/", locale), contact.back)}`;
  return formPage({ locale, title: contact.title, body, status, look, address: null });
}

/** The admin login. It reveals neither what the admin area contains nor which of the fields was wrong. */
export function adminLoginPage(state: AdminLoginPageState, status: number, look: FormLook): Response {
  const { locale, login, next, problem, asksForCode } = state;
  const texts = formTexts[locale];
  const own = adminFormTexts[locale];
  const isWrong = problem?.code === "invalid_credentials";
  const body = html`${problemNotice(isWrong ? own.invalidCredentials : problemText(problem, locale))}
<form method="post" action="/admin/login/">
${hiddenField("next", next)}
${formField("login", own.login, html`autocomplete="username" autocapitalize="none" spellcheck="false" required value="${login}"`)}
${formField("password", texts.password, passwordAttributes)}
${asksForCode ? formField("code", texts.login.code, codeAttributes) : null}
${submitButton(texts.login.submit)}
</form>`;
  return formPage({ locale, title: own.area, body, status, area: "admin", look, address: null });
}
