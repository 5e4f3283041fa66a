/** The login pages, as forms that work without JavaScript. */
import type { Locale } from "@sluice/contracts/locales";
import type {
  AdminLoginPageState,
  LinkPageState,
  LoginPageState,
  RegisterPageState,
  SentPageState,
} from "../accounts/port.ts";
import type { FormPageState } from "../platform/form-problem.ts";
import { type Html, html } from "../platform/html.ts";
import { formPath } from "../platform/page-locale.ts";
import {
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
import { formTexts } from "./form-texts/messages.ts";
import type { FormAssets } from "./web-build.ts";

const emailAttributes = (email: string): Html =>
  html`type="email" autocomplete="username" maxlength="254" required value="${email}"`;
const passwordAttributes = html`type="password" autocomplete="current-password" required`;
const newPasswordAttributes = html`type="password" autocomplete="new-password" minlength="8" maxlength="256" required`;
/** A recovery code has letters, so a numeric keyboard would prevent it. */
const codeAttributes = html`autocomplete="one-time-code" autocapitalize="characters" spellcheck="false" maxlength="40" required autofocus`;

/** A text with an email address in its placeholder. */
function textWithEmail(text: string, email: string): Html {
  const [before = "", after = ""] = text.split("{email}");
  return html`${before}<bdi>${email}</bdi>${after}`;
}

/** The login; with the code field once a code is known to be needed, and without a form for logged-in users. */
export function loginPage(state: LoginPageState, status: number, assets: FormAssets | null): Response {
  const { locale, email, next, problem, asksForCode, signedInAs } = state;
  const texts = formTexts[locale];
  const notices: Readonly<Record<string, string>> = texts.notices;
  const notice = state.notice !== null && Object.hasOwn(notices, state.notice) ? (notices[state.notice] ?? null) : null;
  const form = html`<form method="post" action="/login/">
${hiddenField("lang", locale)}${hiddenField("next", next)}
${formField("email", texts.email, emailAttributes(email))}
${formField("password", texts.password, passwordAttributes)}
${asksForCode ? formField("code", texts.login.code, codeAttributes) : null}
${submitButton(texts.login.submit)}
</form>
${problem?.code === "email_not_verified" ? moreLink(formPath("/verify-email/", locale), texts.login.resend) : null}
${moreLink(formPath("/reset-password/", locale), texts.login.forgot)}
${moreLink(formPath("/register/", locale), texts.login.register, texts.login.noAccount)}`;
  const body = html`${goodNotice(notice)}${problemNotice(problemText(problem, locale))}
${signedInAs === null ? form : signedIn(signedInAs, next, locale)}`;
  const address = next === "" ? "/login/" : `/login/?next=${encodeURIComponent(next)}`;
  return formPage({ locale, title: texts.login.title, body, status, assets, address, isCounted: true });
}

function signedIn(email: string, next: string, locale: Locale): Html {
  const { login } = formTexts[locale];
  return html`<p>${textWithEmail(login.signedIn, email)}</p>
<p class="form-actions"><a class="button" data-variant="primary" href="${next === "" ? "/console/" : next}">${login.toConsole}</a></p>
<form method="post" action="/backend/auth/logout/"><button class="button">${login.logOut}</button></form>`;
}

/** The registration form. */
export function registerPage(state: RegisterPageState, status: number, assets: FormAssets | null): Response {
  const { locale, email, displayName, problem } = state;
  const texts = formTexts[locale];
  const nameAttributes = html`autocomplete="name" maxlength="100" value="${displayName}"`;
  const body = html`${problemNotice(problemText(problem, locale))}
<form method="post" action="/register/">
${hiddenField("lang", locale)}
${formField("email", texts.email, emailAttributes(email))}
${formField("password", texts.password, newPasswordAttributes, texts.register.passwordHint)}
${formField("display_name", html`${texts.register.displayName} <span class="field-optional">(${texts.optional})</span>`, nameAttributes)}
${submitButton(texts.register.submit)}
</form>
${moreLink(formPath("/login/", locale), texts.login.submit, texts.register.hasAccount)}`;
  const { title } = texts.register;
  return formPage({ locale, title, body, status, assets, address: "/register/", isCounted: true });
}

/** The page after a registration, which is the same whether or not the address was free. */
export function sentPage({ locale, email, link }: SentPageState, assets: FormAssets | null): Response {
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
  return formPage({ locale, title: texts.sent.title, body, status: 200, assets, address: null });
}

/** The button that redeems a link; without a link, the form that requests one. */
export function verifyPage(state: LinkPageState, status: number, assets: FormAssets | null): Response {
  const { locale, token, email, problem } = state;
  const texts = formTexts[locale];
  const fields =
    token === ""
      ? html`${formField("email", texts.email, emailAttributes(email))}
${submitButton(texts.verify.submit)}`
      : html`${hiddenField("token", token)}
${submitButton(texts.sent.open)}`;
  const body = html`${problemNotice(problemText(problem, locale))}
<p>${token === "" ? texts.verify.text : texts.verify.confirm}</p>
<form method="post" action="/verify-email/">
${hiddenField("lang", locale)}
${fields}
</form>
${moreLink(formPath("/login/", locale), texts.login.submit)}`;
  return formPage({ locale, title: texts.verify.title, body, status, assets, address: "/verify-email/" });
}

/** The form for a new password, if the reset link is valid; without a link, the form that requests one. */
export function resetPage(state: LinkPageState, status: number, assets: FormAssets | null): Response {
  const { locale, token, email, problem } = state;
  const texts = formTexts[locale];
  const fields =
    token === ""
      ? html`${formField("email", texts.email, emailAttributes(email))}
${submitButton(texts.reset.send)}`
      : html`${hiddenField("token", token)}
${formField("password", texts.reset.newPassword, newPasswordAttributes, texts.register.passwordHint)}
${submitButton(texts.reset.set)}`;
  const body = html`${problemNotice(problemText(problem, locale))}
${token === "" ? html`<p>${texts.reset.text}</p>` : null}
<form method="post" action="/reset-password/">
${hiddenField("lang", locale)}${fields}
</form>
${moreLink(formPath("/login/", locale), texts.login.submit)}`;
  const address = token === "" ? "/reset-password/" : `/reset-password/?token=${encodeURIComponent(token)}`;
  return formPage({ locale, title: texts.reset.title, body, status, assets, address });
}

/**
 * The page for a company's request that was refused. The browser's back button leads to the form with everything typed.
 */
export function contactProblemPage(state: FormPageState, status: number, assets: FormAssets | null): Response {
  const { locale, problem } = state;
  const { contact } = formTexts[locale];
  const body = html`${problemNotice(problemText(problem, locale))}
${moreLink(sitePath("/contact/", locale), contact.back)}`;
  return formPage({ locale, title: contact.title, body, status, assets, address: null });
}

/** The admin login. It reveals neither what the admin area contains nor which of the fields was wrong. */
export function adminLoginPage(state: AdminLoginPageState, status: number, assets: FormAssets | null): Response {
  const { login, next, problem, asksForCode } = state;
  const texts = formTexts.en;
  const body = html`${problemNotice(problem)}
<form method="post" action="/admin/login/">
${hiddenField("next", next)}
${formField("login", "Username, e-mail or mobile number", html`autocomplete="username" autocapitalize="none" spellcheck="false" required value="${login}"`)}
${formField("password", texts.password, passwordAttributes)}
${asksForCode ? formField("code", texts.login.code, codeAttributes) : null}
${submitButton(texts.login.submit)}
</form>`;
  return formPage({ locale: "en", title: "Admin", body, status, area: "admin", assets, address: null });
}
