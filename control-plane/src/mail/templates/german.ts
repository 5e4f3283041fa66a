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
      "Verknüpfte Anmeldungen über andere Dienste gelten weiter, wenn sie nicht zusammen mit der Änderung entfernt wurden. Entfernen Sie auf der Kontoseite alle, die Sie nicht kennen.",
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
  sign_in_linked: {
    subject: "Ihrem Konto wurde eine Anmeldung hinzugefügt",
    title: "Eine Anmeldung wurde hinzugefügt",
    body: ["Ihr Konto bei {{service}} lässt sich ab jetzt auch mit Ihrem Konto bei {{provider}} öffnen."],
    action: "Mein Konto öffnen",
    notes: [
      "Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, entfernen Sie die Anmeldung in Ihrem Konto und ändern Sie sofort Ihr Passwort.",
    ],
  },
  passkey_added: {
    subject: "Ihrem Konto wurde ein Passkey hinzugefügt",
    title: "Ein Passkey wurde hinzugefügt",
    body: ["Ihr Konto bei {{service}} lässt sich ab jetzt mit einem neuen Passkey öffnen."],
    action: "Mein Konto öffnen",
    notes: [
      "Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, entfernen Sie ihn in Ihrem Konto und ändern Sie sofort Ihr Passwort.",
    ],
  },
  passkey_removed: {
    subject: "Aus Ihrem Konto wurde ein Passkey entfernt",
    title: "Ein Passkey wurde entfernt",
    body: ["Einer Ihrer Passkeys öffnet Ihr Konto bei {{service}} nicht mehr."],
    action: "Mein Konto öffnen",
    notes: ["Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, ändern Sie sofort Ihr Passwort."],
  },
  passkey_copied: {
    subject: "Ein Passkey Ihres Kontos wurde vielleicht kopiert",
    title: "Ein Passkey wurde vielleicht kopiert",
    body: [
      "Ein Passkey Ihres Kontos bei {{service}} wurde verwendet, und sein Zähler zeigt, dass vorher eine andere Kopie verwendet wurde.",
    ],
    action: "Mein Konto öffnen",
    notes: [
      "Entfernen Sie den zuletzt verwendeten Passkey in Ihrem Konto und fügen Sie einen neuen hinzu. Wenn Sie die Anmeldung nicht kennen, melden Sie auch Ihre anderen Sitzungen ab.",
    ],
  },
  account_closing: {
    subject: "Ihr Konto wird am {{closes_on}} geschlossen",
    title: "Ihr Konto wird geschlossen",
    body: [
      "Ihr Konto bei {{service}} wird am {{closes_on}} geschlossen. Ihre API-Schlüssel werden ab jetzt abgelehnt. Dann verfällt, was von Ihrem Guthaben übrig ist, und Ihre persönlichen Daten werden entfernt.",
    ],
    action: "Mein Konto öffnen",
    notes: [
      "Bis dahin können Sie das Konto auf seiner Seite behalten. Wenn Sie das nicht verlangt haben, tun Sie es jetzt und ändern Sie Ihr Passwort. Wenn der Betreiber es schließt, fragen Sie den Support.",
    ],
  },
  account_kept: {
    subject: "Ihr Konto bleibt bestehen",
    title: "Ihr Konto bleibt bestehen",
    body: [
      "Ihr Konto bei {{service}} wird nicht geschlossen, und Ihre API-Schlüssel funktionieren wieder. Beendete Zugriffstoken müssen neu erstellt werden.",
    ],
    action: "Mein Konto öffnen",
    notes: ["Wenn Sie das nicht waren, ändern Sie sofort Ihr Passwort."],
  },
  account_closed: {
    subject: "Ihr Konto wurde geschlossen",
    title: "Ihr Konto wurde geschlossen",
    body: [
      "Ihr Konto bei {{service}} wurde geschlossen, und Ihre persönlichen Daten wurden entfernt. Rechnungen und Buchungen bleiben, solange das Gesetz es verlangt. Dies ist die letzte Mail dazu.",
    ],
    action: "Neu registrieren",
    notes: ["Sie können diese Adresse für ein neues Konto verwenden."],
  },
  email_change: {
    subject: "Bestätigen Sie Ihre neue E-Mail-Adresse",
    title: "Bestätigen Sie Ihre neue E-Mail-Adresse",
    body: [
      "Jemand möchte diese Adresse für ein Konto bei {{service}} verwenden. Öffnen Sie den Link und drücken Sie den Knopf, um das zu bestätigen. Der Link gilt {{valid_for}}.",
    ],
    action: "Adresse bestätigen",
    notes: ["Wenn Sie das nicht waren, ignorieren Sie diese Mail. Ohne den Link ändert sich nichts."],
  },
  email_changed: {
    subject: "Die E-Mail-Adresse Ihres Kontos wurde geändert",
    title: "Die E-Mail-Adresse wurde geändert",
    body: ["Ihr Konto bei {{service}} hat jetzt eine andere E-Mail-Adresse; Mails kommen nicht mehr hierher."],
    action: "Änderung rückgängig machen",
    notes: [
      "Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, öffnen Sie den Link innerhalb von sieben Tagen: Er stellt diese Adresse wieder her, beendet alle Sitzungen und lässt Sie ein neues Passwort festlegen.",
    ],
  },
  email_restored: {
    subject: "Ihr Konto hat wieder seine alte E-Mail-Adresse",
    title: "Die alte E-Mail-Adresse gilt wieder",
    body: [
      "Ihr Konto bei {{service}} hat wieder diese Adresse. Alle Sitzungen und Zugriffstoken sind beendet. Passwort, Passkeys und Anmeldedienste wurden entfernt, ebenso ein Authenticator, der nach der Änderung eingerichtet wurde.",
    ],
    action: "Neues Passwort festlegen",
    notes: ["Sehen Sie danach Ihre API-Schlüssel durch und widerrufen Sie alle, die Sie nicht kennen."],
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
  organisation_invitation: {
    subject: "Einladung in eine Organisation",
    title: "Einladung in eine Organisation",
    body: [
      "Ein Mitglied einer Organisation bei {{service}} lädt Sie ein, ihr beizutreten. Sie arbeiten dann mit deren Konto und Guthaben.",
    ],
    action: "Einladung ansehen",
    notes: [
      "Gültigkeit des Links: {{valid_for}}. Er funktioniert nur einmal und nur für eine Anmeldung mit dieser E-Mail-Adresse.",
      "Wenn Sie nicht wissen, wer Sie einlädt, können Sie diese E-Mail ignorieren.",
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
  renewal_failed: {
    subject: "{{plan_name}} konnte nicht abgebucht werden",
    title: "Die Zahlung ist fehlgeschlagen",
    body: [
      "Wir wollten {{amount}} für den nächsten Monat von {{plan_name}} bei {{service}} abbuchen, aber die Zahlung ist fehlgeschlagen. Ihr Tarif bleibt bis {{until}} bestehen, und wir versuchen es noch einmal.",
    ],
    action: "Zahlungsmittel ändern",
    notes: ["Schlägt die Zahlung auch dann fehl, endet Ihr Tarif, und es wird nichts mehr abgebucht."],
  },
  renewal_ended: {
    subject: "Ihr Tarif {{plan_name}} ist beendet",
    title: "Ihr Tarif ist beendet",
    body: [
      "Der nächste Monat von {{plan_name}} bei {{service}} konnte nicht abgebucht werden. Deshalb ist Ihr Tarif beendet. Es wird nichts mehr abgebucht.",
    ],
    action: "Tarife ansehen",
    notes: [],
  },
  renewal_left: {
    subject: "{{plan_name}} wird nicht verlängert",
    title: "Der Tarif wird nicht verlängert",
    body: [
      "Die Karte, von der {{plan_name}} bei {{service}} abgebucht wird, gehört jemandem, der nicht mehr für Ihre Organisation zahlt. Deshalb wird von ihr nichts mehr abgebucht. Der Tarif läuft bis {{until}}. Wenn Sie ihn behalten möchten, abonnieren Sie ihn neu mit einer anderen Karte.",
    ],
    action: "Tarife ansehen",
    notes: [],
  },
  renewal_changes: {
    subject: "{{plan_name}} ändert sich am {{from}}",
    title: "Ihr Tarif ändert sich",
    body: [
      "Ab dem ersten Monat, der am {{from}} oder später beginnt, kostet {{plan_name}} bei {{service}} {{amount}} im Monat und bringt {{credit}} Guthaben.",
    ],
    action: "Meinen Tarif ansehen",
    notes: [
      "Monate, die vorher beginnen, bleiben unverändert. Wenn Sie nicht einverstanden sind, kündigen Sie vorher.",
    ],
  },
  top_up_failed: {
    subject: "Die automatische Aufladung ist fehlgeschlagen",
    title: "Die automatische Aufladung ist fehlgeschlagen",
    body: [
      "Ihr Guthaben bei {{service}} ist niedrig, und wir wollten {{amount}} über Ihre gespeicherte Zahlungsart abbuchen. Ihre Bank hat das abgelehnt oder möchte, dass Sie es selbst bestätigen.",
    ],
    action: "Jetzt bezahlen",
    notes: [
      "Der Link gilt einen Tag. Scheitert auch die nächste Abbuchung, wird die automatische Aufladung abgeschaltet.",
    ],
  },
  top_up_stopped: {
    subject: "Die automatische Aufladung ist abgeschaltet",
    title: "Es wird nichts mehr automatisch abgebucht",
    body: [
      "Die automatische Aufladung von {{amount}} bei {{service}} ist abgeschaltet: Ihre Zahlungsart wurde zweimal abgelehnt, was Sie vereinbart hatten, wird nicht mehr angeboten, oder eine ihrer Zahlungen ging zurück oder wird geprüft.",
    ],
    action: "Abrechnung öffnen",
    notes: [],
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
  organisation_quota_low: {
    subject: "Das Guthaben von {{organisation}} liegt unter {{threshold}}",
    title: "Das Guthaben Ihrer Organisation geht zur Neige",
    body: [
      "Das Guthaben von {{organisation}} beträgt {{credit}}. Das sind weniger als {{threshold}} der letzten Gutschrift.",
      "Wenn es aufgebraucht ist, werden Anfragen mit ihren Schlüsseln abgelehnt, bis es wieder aufgeladen wird.",
    ],
    action: "Guthaben aufladen",
    notes: [],
  },
  operator_event: {
    subject: "Ereignis bei {{service}}: {{title}}",
    title: "{{title}}",
    body: ["{{details}}"],
    action: "Ereignisse öffnen",
    notes: ["Sie erhalten diese E-Mail, weil ein Admin von {{service}} Ihre Adresse eingetragen hat."],
  },
  webhook_failed: {
    subject: "Ihr Webhook bei {{service}} wurde abgeschaltet",
    title: "Ihr Webhook wurde abgeschaltet",
    body: [
      "Seit Tagen hat niemand seine Nachrichten angenommen, oder seine Adresse gibt es nicht mehr. Es werden keine Ereignisse mehr dorthin gesendet.",
    ],
    action: "Webhooks öffnen",
    notes: [
      "Sobald die Adresse wieder erreichbar ist, schalten Sie den Webhook ein und senden Sie fehlgeschlagene Nachrichten aus seinem Protokoll erneut.",
    ],
  },
};
