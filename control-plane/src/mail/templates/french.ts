import type { MailWords } from "./words.ts";

export const french: MailWords = {
  colon: " : ",
  byHand: "Si le bouton ne fonctionne pas, ouvrez cette adresse :",
  footer: "Ce message a été envoyé automatiquement par {{service}}.",
  email_verify: {
    subject: "Confirmez votre adresse e-mail",
    title: "Confirmez votre adresse e-mail",
    body: ["Bienvenue sur {{service}}. Veuillez confirmer que cette adresse e-mail est bien la vôtre."],
    action: "Confirmer l’adresse e-mail",
    notes: [
      "Durée de validité du lien : {{valid_for}}.",
      "Si vous n’avez pas créé de compte, vous pouvez ignorer ce message.",
    ],
  },
  account_exists: {
    subject: "Vous avez déjà un compte",
    title: "Vous avez déjà un compte",
    body: [
      "Quelqu’un, probablement vous, a essayé de s’inscrire sur {{service}} avec cette adresse e-mail. Un compte existe déjà pour cette adresse : rien n’a donc été modifié.",
    ],
    action: "Se connecter",
    notes: [
      "Mot de passe oublié ? Réinitialisez-le ici : {{reset_link}}",
      "Si ce n’était pas vous, vous n’avez rien à faire.",
    ],
  },
  password_reset: {
    subject: "Réinitialisez votre mot de passe",
    title: "Réinitialisez votre mot de passe",
    body: [
      "Nous avons reçu une demande de réinitialisation du mot de passe de votre compte {{service}}. Si elle vient de vous, choisissez ici un nouveau mot de passe.",
    ],
    action: "Choisir un nouveau mot de passe",
    notes: [
      "Durée de validité du lien : {{valid_for}}. Il ne peut servir qu’une fois.",
      "Si cette demande ne vient pas de vous, ignorez ce message ; votre mot de passe reste inchangé.",
    ],
  },
  password_changed: {
    subject: "Votre mot de passe a été modifié",
    title: "Votre mot de passe a été modifié",
    body: ["Le mot de passe de votre compte {{service}} a été modifié et toutes les sessions ont été fermées."],
    action: "Ce n’était pas moi : réinitialiser le mot de passe",
    notes: [
      "Si c’était vous, vous n’avez rien à faire.",
      "Vos clés API restent valables. Révoquez dans la console celles que vous ne connaissez pas.",
      "Les connexions liées à d’autres services restent valables, sauf si elles ont été retirées lors du changement. Sur la page de votre compte, retirez celles que vous ne connaissez pas.",
    ],
  },
  recovery_code_used: {
    subject: "Un code de récupération de votre compte a été utilisé",
    title: "Un code de récupération a été utilisé",
    body: [
      "Un code de récupération a été utilisé sur {{service}} à la place du code de votre application d’authentification. Codes restants : {{left}}.",
    ],
    action: "Ouvrir mon compte",
    notes: [
      "Si c’était vous, vous n’avez rien à faire. Sinon, changez immédiatement votre mot de passe et créez de nouveaux codes de récupération.",
    ],
  },
  sign_in_linked: {
    subject: "Une connexion a été ajoutée à votre compte",
    title: "Une connexion a été ajoutée",
    body: ["Votre compte sur {{service}} peut désormais être ouvert avec votre compte {{provider}}."],
    action: "Ouvrir mon compte",
    notes: [
      "Si c’était vous, vous n’avez rien à faire. Sinon, retirez-la dans votre compte et changez immédiatement votre mot de passe.",
    ],
  },
  passkey_added: {
    subject: "Une clé d’accès a été ajoutée à votre compte",
    title: "Une clé d’accès a été ajoutée",
    body: ["Votre compte sur {{service}} peut désormais être ouvert avec une nouvelle clé d’accès."],
    action: "Ouvrir mon compte",
    notes: [
      "Si c’était vous, vous n’avez rien à faire. Sinon, retirez-la dans votre compte et changez immédiatement votre mot de passe.",
    ],
  },
  passkey_removed: {
    subject: "Une clé d’accès a été retirée de votre compte",
    title: "Une clé d’accès a été retirée",
    body: ["L’une de vos clés d’accès n’ouvre plus votre compte sur {{service}}."],
    action: "Ouvrir mon compte",
    notes: ["Si c’était vous, vous n’avez rien à faire. Sinon, changez immédiatement votre mot de passe."],
  },
  passkey_copied: {
    subject: "Une clé d’accès de votre compte a peut-être été copiée",
    title: "Une clé d’accès a peut-être été copiée",
    body: [
      "Une clé d’accès de votre compte sur {{service}} a été utilisée, et son compteur indique qu’une autre copie l’a été auparavant.",
    ],
    action: "Ouvrir mon compte",
    notes: [
      "Retirez dans votre compte la clé d’accès utilisée en dernier et ajoutez-en une nouvelle. Si vous ne reconnaissez pas cette connexion, déconnectez aussi vos autres sessions.",
    ],
  },
  account_closing: {
    subject: "Votre compte sera fermé le {{closes_on}}",
    title: "Votre compte va être fermé",
    body: [
      "Votre compte sur {{service}} sera fermé le {{closes_on}}. Vos clés d’API sont refusées dès maintenant. Ce qui reste de votre solde sera alors perdu et vos données personnelles seront supprimées.",
    ],
    action: "Ouvrir mon compte",
    notes: [
      "D’ici là, vous pouvez garder le compte depuis sa page. Si vous ne l’avez pas demandé, faites-le maintenant et changez votre mot de passe. Si c’est l’exploitant qui le ferme, contactez l’assistance.",
    ],
  },
  account_kept: {
    subject: "Votre compte est conservé",
    title: "Votre compte est conservé",
    body: [
      "Votre compte sur {{service}} ne sera pas fermé et vos clés d’API fonctionnent de nouveau. Les jetons d’accès qui ont pris fin doivent être recréés.",
    ],
    action: "Ouvrir mon compte",
    notes: ["Si ce n’était pas vous, changez immédiatement votre mot de passe."],
  },
  account_closed: {
    subject: "Votre compte a été fermé",
    title: "Votre compte a été fermé",
    body: [
      "Votre compte sur {{service}} a été fermé et vos données personnelles ont été supprimées. Les factures et les écritures sont conservées aussi longtemps que la loi l’exige. Ceci est le dernier e-mail à ce sujet.",
    ],
    action: "S’inscrire à nouveau",
    notes: ["Vous pouvez utiliser cette adresse pour un nouveau compte."],
  },
  email_change: {
    subject: "Vérifiez votre nouvelle adresse e-mail",
    title: "Vérifiez votre nouvelle adresse e-mail",
    body: [
      "Quelqu’un souhaite utiliser cette adresse pour un compte sur {{service}}. Ouvrez le lien et appuyez sur le bouton pour confirmer. Le lien est valable {{valid_for}}.",
    ],
    action: "Vérifier l’adresse",
    notes: ["Si ce n’était pas vous, ignorez cet e-mail. Rien ne change sans le lien."],
  },
  email_changed: {
    subject: "L’adresse e-mail de votre compte a été modifiée",
    title: "L’adresse e-mail a été modifiée",
    body: ["Votre compte sur {{service}} a maintenant une autre adresse e-mail, et les e-mails n’arrivent plus ici."],
    action: "Annuler la modification",
    notes: [
      "Si c’était vous, vous n’avez rien à faire. Sinon, ouvrez le lien dans les sept jours : il rétablit cette adresse, met fin à toutes les sessions et vous permet de définir un nouveau mot de passe.",
    ],
  },
  email_restored: {
    subject: "Votre compte a retrouvé son ancienne adresse e-mail",
    title: "L’ancienne adresse e-mail est rétablie",
    body: [
      "Votre compte sur {{service}} a de nouveau cette adresse. Toutes ses sessions et tous ses jetons d’accès ont pris fin. Le mot de passe, les clés d’accès et les services de connexion ont été supprimés, ainsi qu’une application d’authentification configurée après la modification.",
    ],
    action: "Définir un nouveau mot de passe",
    notes: ["Vérifiez ensuite vos clés d’API et révoquez celles que vous ne connaissez pas."],
  },
  approval_waiting: {
    subject: "La demande {{request_no}} attend un second super-administrateur",
    title: "Une demande attend un second super-administrateur",
    body: [
      "Un super-administrateur de {{service}} a demandé une opération qui exige l’accord de deux personnes. Rien n’est modifié tant que vous ou un autre super-administrateur n’avez pas approuvé la demande {{request_no}}.",
    ],
    action: "Voir la demande",
    notes: [
      "Délai pour décider : {{valid_for}}. Sans accord d’ici là, rien ne se passe.",
      "Si vous n’attendiez pas cette demande, parlez-en aux autres avant de donner votre accord.",
    ],
  },
  organisation_invitation: {
    subject: "Invitation à rejoindre une organisation",
    title: "Invitation à rejoindre une organisation",
    body: [
      "Un membre d’une organisation chez {{service}} vous invite à la rejoindre. Vous utiliserez alors son compte et son solde.",
    ],
    action: "Voir l’invitation",
    notes: [
      "Durée de validité du lien : {{valid_for}}. Il ne peut servir qu’une fois, et seulement avec un compte à cette adresse e-mail.",
      "Si vous ne connaissez pas la personne qui vous invite, vous pouvez ignorer ce message.",
    ],
  },
  payment_success: {
    subject: "Paiement reçu : {{amount}}",
    title: "Paiement reçu",
    body: ["Merci pour votre paiement. Votre solde a été rechargé."],
    action: "Ouvrir la console",
    notes: [],
    facts: { order_no: "Commande", plan_name: "Formule", amount: "Montant", credit: "Crédit" },
  },
  renewal_failed: {
    subject: "Le prélèvement pour {{plan_name}} a échoué",
    title: "Le paiement a échoué",
    body: [
      "Nous avons essayé de prélever {{amount}} pour le prochain mois de {{plan_name}} chez {{service}}, mais le paiement a échoué. Vous gardez votre forfait jusqu’au {{until}}, et nous réessaierons.",
    ],
    action: "Changer de moyen de paiement",
    notes: ["Si le paiement échoue encore, votre forfait prend fin et plus rien n’est prélevé."],
  },
  renewal_ended: {
    subject: "Votre forfait {{plan_name}} a pris fin",
    title: "Votre forfait a pris fin",
    body: [
      "Nous n’avons pas pu prélever le prochain mois de {{plan_name}} chez {{service}} : votre forfait a donc pris fin. Plus rien ne sera prélevé.",
    ],
    action: "Voir les forfaits",
    notes: [],
  },
  renewal_left: {
    subject: "{{plan_name}} ne sera pas renouvelé",
    title: "Le forfait ne sera pas renouvelé",
    body: [
      "La carte prélevée pour {{plan_name}} chez {{service}} appartient à une personne qui ne paie plus pour votre organisation : elle ne sera donc plus débitée. Le forfait court jusqu’au {{until}}. Pour le garder, abonnez-vous à nouveau avec une autre carte.",
    ],
    action: "Voir les forfaits",
    notes: [],
  },
  renewal_changes: {
    subject: "{{plan_name}} change le {{from}}",
    title: "Votre forfait change",
    body: [
      "À partir du premier mois qui commence le {{from}} ou après, {{plan_name}} chez {{service}} coûte {{amount}} par mois et ajoute {{credit}} à votre solde.",
    ],
    action: "Voir mon forfait",
    notes: ["Les mois qui commencent avant ne changent pas. Si vous n’êtes pas d’accord, résiliez avant cette date."],
  },
  top_up_failed: {
    subject: "Votre recharge automatique n’a pas pu être débitée",
    title: "La recharge automatique a échoué",
    body: [
      "Votre solde chez {{service}} est bas et nous avons voulu débiter {{amount}} de votre moyen de paiement enregistré. Votre banque a refusé ou souhaite que vous confirmiez vous-même.",
    ],
    action: "Payer maintenant",
    notes: ["Le lien est valable un jour. Si le prochain débit échoue aussi, la recharge automatique est désactivée."],
  },
  top_up_stopped: {
    subject: "Votre recharge automatique est désactivée",
    title: "Plus rien n’est débité automatiquement",
    body: [
      "La recharge automatique de {{amount}} chez {{service}} est désactivée : votre moyen de paiement a été refusé deux fois, ce que vous aviez accepté n’est plus proposé, ou l’un de ses paiements a été remboursé ou est en cours d’examen.",
    ],
    action: "Ouvrir la facturation",
    notes: [],
  },
  quota_low: {
    subject: "Il vous reste moins de {{threshold}} de votre solde",
    title: "Votre solde est bientôt épuisé",
    body: [
      "Votre solde est de {{credit}}, soit moins de {{threshold}} du dernier rechargement.",
      "Une fois le solde épuisé, les requêtes sont refusées jusqu’à ce que vous le rechargiez.",
    ],
    action: "Recharger",
    notes: [],
  },
  organisation_quota_low: {
    subject: "Le solde de {{organisation}} est inférieur à {{threshold}}",
    title: "Le solde de votre organisation est bientôt épuisé",
    body: [
      "Le solde de {{organisation}} est de {{credit}}, soit moins de {{threshold}} du dernier rechargement.",
      "Une fois le solde épuisé, les requêtes avec ses clés sont refusées jusqu’à ce qu’il soit rechargé.",
    ],
    action: "Recharger",
    notes: [],
  },
  operator_event: {
    subject: "Événement chez {{service}} : {{title}}",
    title: "{{title}}",
    body: ["{{details}}"],
    action: "Ouvrir les événements",
    notes: ["Vous recevez ce message car un administrateur de {{service}} a ajouté votre adresse."],
  },
  webhook_failed: {
    subject: "Votre webhook chez {{service}} a été désactivé",
    title: "Votre webhook a été désactivé",
    body: [
      "Ses messages ne sont plus acceptés depuis plusieurs jours, ou son adresse n’existe plus. Plus aucun événement n’y est envoyé.",
    ],
    action: "Ouvrir les webhooks",
    notes: [
      "Lorsque l’adresse fonctionne à nouveau, réactivez le webhook et renvoyez les messages échoués depuis son journal.",
    ],
  },
};
