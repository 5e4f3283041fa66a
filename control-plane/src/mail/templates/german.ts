import type { MailWords } from "./words.ts";

export const german: MailWords = {
  colon: ": ",
  byHand: "Falls die Schaltfläche nicht funktioniert, öffnen Sie diese Adresse:",
  footer: "Diese E-Mail wurde automatisch von {{service}} versendet.",
  email_verify: {
    subject: "Bestätigen Sie Ihre E-Mail-Adresse",
    title: "Bestätigen Sie Ihre E-Mail-Adresse",
    body: ["Willkommen bei {{service}}. Bitte bestätigen Sie, dass diese E-Mail-Adresse Ihnen gehört."],
    action: "E-Mail-Adresse bestätigen",
    notes: [
      "Gültigkeit des Links: {{valid_for}}.",
      "Wenn Sie kein Konto angelegt haben, können Sie diese E-Mail ignorieren.",
    ],
  },
  account_exists: {
    subject: "Sie haben bereits ein Konto",
    title: "Sie haben bereits ein Konto",
    body: [
      "Jemand, vermutlich Sie selbst, wollte sich mit dieser E-Mail-Adresse bei {{service}} registrieren. Es gibt dafür bereits ein Konto, deshalb wurde nichts geändert.",
    ],
    action: "Anmelden",
    notes: [
      "Passwort vergessen? Hier können Sie es zurücksetzen: {{reset_link}}",
      "Wenn Sie das nicht waren, müssen Sie nichts tun.",
    ],
  },
  password_reset: {
    subject: "Setzen Sie Ihr Passwort zurück",
    title: "Setzen Sie Ihr Passwort zurück",
    body: [
      "Für Ihr Konto bei {{service}} wurde angefordert, das Passwort zurückzusetzen. Wenn Sie das waren, wählen Sie hier ein neues Passwort.",
    ],
    action: "Neues Passwort wählen",
    notes: [
      "Gültigkeit des Links: {{valid_for}}. Er funktioniert nur einmal.",
      "Wenn Sie das nicht waren, ignorieren Sie diese E-Mail; Ihr Passwort bleibt unverändert.",
    ],
  },
  password_changed: {
    subject: "Ihr Passwort wurde geändert",
    title: "Ihr Passwort wurde geändert",
    body: ["Das Passwort Ihres Kontos bei {{service}} wurde geändert, und alle Sitzungen wurden beendet."],
    action: "Das war ich nicht: Passwort zurücksetzen",
    notes: [
      "Wenn Sie das waren, müssen Sie nichts tun.",
      "Ihre API-Schlüssel gelten weiter. Widerrufen Sie in der Konsole alle, die Sie nicht kennen.",
    ],
  },
  recovery_code_used: {
    subject: "Ein Wiederherstellungscode Ihres Kontos wurde verwendet",
    title: "Ein Wiederherstellungscode wurde verwendet",
    body: [
      "Bei {{service}} wurde statt des Codes Ihrer Authenticator-App ein Wiederherstellungscode verwendet. Es sind noch {{left}} übrig.",
    ],
    action: "Mein Konto öffnen",
    notes: [
      "Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, ändern Sie sofort Ihr Passwort und erstellen Sie neue Wiederherstellungscodes.",
    ],
  },
  approval_waiting: {
    subject: "Anfrage {{request_no}} braucht einen zweiten Super-Admin",
    title: "Eine Anfrage braucht einen zweiten Super-Admin",
    body: [
      "Ein Super-Admin bei {{service}} möchte etwas tun, dem zwei zustimmen müssen. Bis Sie oder ein anderer Super-Admin der Anfrage {{request_no}} zustimmen, wird nichts geändert.",
    ],
    action: "Anfrage ansehen",
    notes: [
      "Frist für die Entscheidung: {{valid_for}}. Stimmt bis dahin niemand zu, geschieht nichts.",
      "Wenn Sie diese Anfrage nicht erwartet haben, sprechen Sie mit den anderen, bevor Sie zustimmen.",
    ],
  },
  payment_success: {
    subject: "Zahlung erhalten: {{amount}}",
    title: "Zahlung erhalten",
    body: ["Vielen Dank für Ihre Zahlung. Das Guthaben wurde Ihrem Konto gutgeschrieben."],
    action: "Konsole öffnen",
    notes: [],
    facts: { order_no: "Bestellung", plan_name: "Tarif", amount: "Betrag", credit: "Guthaben" },
  },
  quota_low: {
    subject: "Weniger als {{threshold}} Ihres Guthabens übrig",
    title: "Ihr Guthaben geht zur Neige",
    body: [
      "Ihr verbleibendes Guthaben beträgt {{credit}}. Das sind weniger als {{threshold}} der letzten Gutschrift.",
      "Wenn es aufgebraucht ist, werden Anfragen abgelehnt, bis Sie es wieder aufladen.",
    ],
    action: "Guthaben aufladen",
    notes: [],
  },
};
