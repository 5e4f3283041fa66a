import type { DocTexts } from "./en.ts";

export const fr: DocTexts = {
  frame: {
    nav: "Documentation",
    onThisPage: "Sur cette page",
    search: "Rechercher dans la documentation",
    searchNone: "Aucun résultat pour « {query} ».",
    searchFailed: "La recherche n’a pas pu être chargée. Réessayez.",
    copy: "Copier",
    copied: "Copié",
    copyPage: "Copier la page en Markdown",
    asMarkdown: "Markdown",
    choose: "Choisir un langage ou une bibliothèque",
    snippet: "Code",
    previous: "Précédent",
    next: "Suivant",
    updated: "Dernière mise à jour : {date}",
    install: "Installer",
    check: "Vérifier",
    limits: "Limites",
    undo: "Annuler",
    key: "Votre clé",
    keyPlace: "Le code de cette page montre `sk-...` à la place de votre clé.",
    keyLogIn: "Connectez-vous pour en mettre une",
    keyCreate: "Créer une clé pour cette page",
    keyCreated:
      "La nouvelle clé est dans le code jusqu’à ce que vous quittiez cette page. Copiez-la maintenant : personne ne pourra la montrer à nouveau.",
    keyManage: "Gérer les clés",
    keyFailed: "Aucune clé n’a été créée.",
  },
  index: {
    description: "Comment appeler des modèles avec {brand} : premier appel, clients, agents de code et facturation.",
    lead: "Du premier appel à la facture. Sans clé, commencez par le [démarrage rapide](/docs/quickstart/).",
  },
  quickstart: {
    title: "Démarrage rapide",
    description: "Du compte à la première réponse en quatre étapes.",
    lead: "{brand} parle l’API d’OpenAI et celle d’Anthropic. Gardez votre client et ne changez que l’adresse et la clé.",
    account: "1. Créer un compte",
    accountText:
      "[Inscrivez-vous](/register/) avec une adresse e-mail et un mot de passe, puis ouvrez le lien reçu. Il vérifie l’adresse ; avant cela, la connexion est impossible.",
    credit: "2. Recharger votre solde",
    creditText:
      "Choisissez une formule dans [Facturation](/console/billing/), dans la console. Le solde est disponible dès que le service de paiement a confirmé le paiement. [Comment la facturation fonctionne](/docs/billing/).",
    key: "3. Créer une clé API",
    keyText:
      "Créez une clé dans [Clés API](/console/keys/) et copiez-la : elle n’est affichée qu’une fois. Gardez-la dans l’environnement, pas dans un fichier de votre projet.",
    call: "4. Envoyer un appel",
    callText:
      "Les prix et les noms de tous les modèles figurent sur la [page des prix](/pricing/). Ceux que votre clé peut utiliser sont donnés par `/v1/models` :",
    callDone:
      "Chaque réponse porte l’en-tête `x-request-id`. Il vous permet de retrouver l’appel et son reçu dans [Utilisation](/console/usage/), et au support aussi.",
    addresses: "Adresses",
    api: "API",
    baseUrl: "URL de base",
    keyHeader: "Clé",
    or: "{one} ou {other}",
    nextSteps: "Pour continuer",
    nextText:
      "Configurez votre [bibliothèque](/docs/clients/) ou votre [agent de code](/docs/agents/), ou lisez [ce que signifient les erreurs](/docs/errors/).",
  },
  clients: {
    title: "Clients",
    description:
      "curl, OpenAI SDK, Anthropic SDK, Vercel AI SDK, LangChain et LiteLLM : configurer, vérifier, limites, annuler.",
    lead: "Chaque exemple lit votre clé dans `GATEWAY_API_KEY` et fonctionne tel quel. Nos tests les exécutent contre ce programme.",
    before: "Avant de commencer",
    beforeText: "Placez votre clé dans l’environnement du shell :",
    checkText:
      "Exécutez-le. Une réponse s’affiche, et l’appel apparaît en quelques secondes dans [Utilisation](/console/usage/).",
    curlText: "Une réponse entière, une réponse en flux d’événements, ou le format d’Anthropic :",
    curlLimit:
      "`/v1` prend la clé dans `Authorization: Bearer`, `/msgcompat/v1` aussi dans `x-api-key`. Deux clés différentes dans une même requête vers `/v1` sont refusées.",
    openaiText:
      "L’URL de base se termine par `/v1`. Chat completions, responses, embeddings, images, audio et autres chemins vont au fournisseur tels que vous les envoyez, si le modèle les propose.",
    openaiLimit:
      "Ce qu’un modèle sait faire dépend de son fournisseur : s’il ne connaît pas un paramètre, vous recevez l’erreur du fournisseur.",
    anthropicText: "L’URL de base se termine par `/msgcompat`, sans `/v1` : le SDK l’ajoute lui-même.",
    anthropicLimit:
      "Les noms acceptés sont ceux de la liste des modèles et ceux que l’exploitant a associés ; `/msgcompat/v1/models` les liste tous. Ce qui ne peut pas être transmis au modèle derrière un nom, comme `thinking`, est omis et signalé dans l’en-tête `x-compat-dropped` ; avec `x-compat-strict: true` dans la requête, c’est une erreur.",
    aiSdkText: "Le paquet de l’AI SDK pour les fournisseurs compatibles avec OpenAI :",
    aiSdkLimit:
      "Prenez ce paquet et non `@ai-sdk/openai` : ce dernier désigne les tours précédents par leur identifiant, ce qui est refusé ici sauf si l’option `store` vaut `false`.",
    langchainText: "L’intégration OpenAI de LangChain, avec une autre URL de base :",
    langchainLimit:
      "LangChain compte les tokens selon sa propre estimation ; ce qui est facturé figure sur le reçu de l’appel.",
    litellmText: "LiteLLM comme bibliothèque, avec son fournisseur OpenAI et une autre URL de base :",
    litellmLimit:
      "LiteLLM calcule les coûts avec sa propre liste de prix ; ce qui est facturé figure sur le reçu de l’appel.",
    undoBase:
      "Retirez l’URL de base et remettez la clé du fournisseur. Révoquez ensuite la clé dans [Clés API](/console/keys/).",
    undoCurl:
      "Rien n’est installé. Exécutez `unset GATEWAY_API_KEY` et révoquez la clé dans [Clés API](/console/keys/).",
    retries: "Nouvelles tentatives et limites",
    retry: {
      after:
        "Quand il suffit d’attendre, la réponse donne la durée en secondes dans `retry-after`. Les SDK d’OpenAI et d’Anthropic en tiennent compte et réessaient deux fois d’eux-mêmes.",
      channels:
        "Tant que rien de la réponse n’est parti, {brand} essaie lui-même un autre canal s’il y en a un. Ces tentatives ne coûtent rien.",
      fallback:
        "Si la clé le permet, un autre modèle peut répondre, à son propre prix, lorsque tous les canaux d’un modèle échouent ou que le prompt est trop long pour lui ; l’en-tête `x-sluice-model-used` le nomme. `x-sluice-fallback: off` dans la requête le refuse.",
      body: "Une requête peut faire 32 Mio et son JSON 64 niveaux, sauf autres limites de l’exploitant. Les corps compressés sont refusés.",
      slash: "Les chemins sous `/v1` ne se terminent pas par une barre oblique.",
    },
    cache: "Cache de réponses",
    cacheText:
      "Si l’opérateur le propose, une clé peut obtenir des réponses enregistrées pour ses requêtes répétées. Activez-le pour la clé sous [Clés API](/console/keys/). Une requête n’obtient une réponse enregistrée que si elle est identique octet par octet et si sa clé, du même compte, utilise aussi le cache. La réponse a les mêmes octets que la première, en flux ou d’un bloc.",
    cacheRule: {
      seen: "`x-sluice-cache: hit` ou `miss` dans une réponse indique d’où elle vient ; `age` indique son âge en secondes si elle vient du cache.",
      off: "`x-sluice-cache: off` dans une requête se passe du cache ; `refresh` obtient une nouvelle réponse et l’enregistre. `cache-control` avec `no-store`, `no-cache` ou `max-age` est également respecté.",
      time: "`x-sluice-cache-ttl: 600` conserve la réponse 600 secondes, dans la limite fixée par l’opérateur.",
      price:
        "Une réponse du cache coûte la part du prix normal que l’opérateur a fixée. Son reçu indique cette part, et elle compte dans les limites de la clé.",
      kept: "Sont conservées les réponses complètes de chat completions, responses, messages, embeddings et de l’API Gemini ; pas les erreurs, les flux interrompus ni les réponses avec recherche web.",
    },
    labels: "Utilisateurs finaux et étiquettes",
    labelsText:
      "Pour voir ce que coûte chaque utilisateur final ou chaque fonction, indiquez-le dans l’appel. L’utilisateur final est `safety_identifier`, `user` ou `metadata.user_id`, 256 caractères au plus. Les étiquettes viennent de l’en-tête `x-sluice-tags` et des textes courts de `metadata` : huit au plus, avec des noms faits de lettres, de chiffres et de `_.-`.",
    labelRule: {
      seen: "La page [Utilisation](/console/usage/) a des filtres, des colonnes et des sommes pour les deux, tout comme son fichier CSV.",
      personal:
        "N’envoyez ni noms ni adresses e-mail : un identifiant à vous, ou son empreinte, suffit. Utilisateurs finaux et étiquettes sont effacés avec les métadonnées de l’appel, en général après 90 jours.",
      off: "Pour ne rien conserver, désactivez l’option dans les réglages d’une clé sous [Clés API](/console/keys/), ou pour toutes les clés sous [Utilisation](/console/usage/). Le fournisseur reçoit toujours les champs du corps, jamais l’en-tête.",
    },
    errors: "Erreurs",
    errorsText:
      "Les erreurs ont le format de l’API que vous appelez. [La page des erreurs](/docs/errors/) dit ce que chaque code signifie, s’il est facturé et que faire.",
    charged: "Facturé ?",
    no: "Non",
    delivered: "Ce qui a été livré",
    error: {
      key: "La clé manque, est fausse, révoquée ou expirée.",
      forbidden:
        "Le compte est désactivé, l’opérateur a verrouillé la clé, ou elle ne peut pas être utilisée depuis cette adresse.",
      model: "Le modèle n’existe pas, ou la clé ne peut pas l’utiliser.",
      quota:
        "Le solde, ou la limite de la clé, ne couvre pas ce que l’appel peut coûter au plus. Baissez `max_tokens` ou rechargez votre solde.",
      spend:
        "Votre compte a atteint ce que l’opérateur lui permet de dépenser par jour ou par mois. Le message dit quand la limite est remise à zéro.",
      rate: "La clé ou le compte a atteint sa limite d’appels ou de tokens par minute, ou d’appels simultanés.",
      providerRate: "Le fournisseur limite les appels en ce moment.",
      request: "La requête n’est pas valide ; le message nomme le champ.",
      option:
        "Une option coûte un supplément chez le fournisseur et n’a pas de prix ici, désigne ce qui y est enregistré ou choisit un autre modèle ; le message la nomme.",
      size: "Le corps de la requête est trop grand.",
      rejected:
        "Le fournisseur a refusé la requête ; son statut et son message sont transmis lorsque c’est sans danger.",
      provider: "Le fournisseur est en panne ou injoignable.",
      timeout: "Le fournisseur n’a pas répondu à temps.",
      unavailable: "Aucun canal n’est libre, ou {brand} ne peut pas vérifier ou enregistrer l’appel en ce moment.",
      cut: "Le fournisseur a coupé au milieu de la réponse. Un flux se termine alors par un événement d’erreur et ne paraît jamais complet.",
      closed: "Votre programme a fermé la connexion avant la fin.",
    },
  },
  agents: {
    title: "Agents de code",
    description:
      "Claude Code, Codex, opencode, Gemini CLI, Cline, Continue et Cursor : configurer, vérifier, limites, annuler.",
    lead: "Créez pour chaque agent sa propre clé avec un budget : les agents envoient beaucoup d’appels, et vous verrez ainsi ce que coûte chacun.",
    keyText: "Codex et opencode lisent la clé dans l’environnement :",
    checkText: "Une réponse s’affiche, et l’appel apparaît dans [Utilisation](/console/usage/).",
    claude: {
      first:
        "Placez ceci, avec votre clé, dans `~/.claude/settings.json`. Jamais dans un fichier de projet que d’autres voient.",
      second: "Retirez `ANTHROPIC_API_KEY` de l’environnement : elle serait envoyée aussi.",
      third: "Relancez `claude` ; `/status` montre l’adresse.",
    },
    claudeLimit:
      "Si un modèle Claude ne figure pas lui-même dans la liste des modèles, c’est le modèle que l’exploitant a associé à son nom qui répond. Les décomptes de tokens avant un appel sont alors des estimations, et le cache et la réflexion ne fonctionnent que si ce modèle les a.",
    claudeUndo: "Retirez les deux lignes de `~/.claude/settings.json` et relancez `claude`.",
    codex: {
      first: "Placez ceci au début de `~/.codex/config.toml`.",
      second: "Lancez `codex` dans un shell qui a `GATEWAY_API_KEY`.",
    },
    codexLimit:
      "Codex fonctionne avec tous les modèles de chat. Il avertit qu’il n’a pas de métadonnées du modèle ; c’est pourquoi la fenêtre de contexte figure dans le fichier. Sa recherche web coûte un supplément chez le fournisseur ; elle est donc retirée de la requête, ce que dit l’en-tête `x-sluice-dropped`.",
    codexUndo: "Retirez ces lignes ; Codex reprend alors le fournisseur précédent.",
    opencode: {
      first:
        "Placez ceci dans `~/.config/opencode/opencode.json` ou dans le `opencode.json` d’un projet : la clé n’y est pas.",
      second: "Lancez `opencode` dans un shell qui a `GATEWAY_API_KEY` et choisissez le modèle avec `/models`.",
    },
    opencodeLimit:
      "opencode ne montre que les modèles inscrits dans le fichier, sans prix. Le coût exact est dans [Utilisation](/console/usage/).",
    opencodeUndo: "Retirez `gateway` de `provider`, ainsi que la ligne `model`.",
    gemini: {
      first: "Écrivez ceci dans `~/.gemini/.env`, avec votre clé.",
      second: "Lancez `gemini` et choisissez `Use Gemini API key` quand il demande comment se connecter.",
    },
    geminiLimit:
      "Seuls fonctionnent les modèles qu’un fournisseur sert avec l’API Gemini ; `/v1beta/models` en donne la liste. L’adresse doit utiliser HTTPS, sauf sur votre propre machine.",
    geminiUndo: "Retirez les deux lignes de `~/.gemini/.env`.",
    cline: {
      first: "Ouvrez les réglages de Cline et choisissez `OpenAI Compatible` comme fournisseur d’API.",
      second: "Remplissez les champs :",
    },
    clineCheck:
      "Demandez « Say hello. » dans une nouvelle tâche. L’appel apparaît dans [Utilisation](/console/usage/).",
    clineLimit:
      "Cline ne connaît ni le contexte ni les prix du modèle : réglez la fenêtre de contexte sur {context} tokens dans la configuration du modèle, et lisez les coûts dans la console.",
    clineUndo: "Choisissez à nouveau l’ancien fournisseur d’API dans les réglages de Cline.",
    continueEditor: { first: "Écrivez ceci dans `~/.continue/config.yaml`, avec votre clé." },
    continueCheck:
      "Choisissez le modèle dans Continue et demandez « Say hello. » L’appel apparaît sous [Utilisation](/console/usage/).",
    continueLimit: "Continue n’affiche pas les coûts. Le coût exact est sous [Utilisation](/console/usage/).",
    continueUndo: "Retirez le modèle de `~/.continue/config.yaml`.",
    cursor: {
      first: "Ouvrez les réglages de Cursor, puis Models, puis API Keys.",
      second: "Remplissez les champs et activez la clé :",
    },
    cursorCheck:
      "Choisissez le modèle dans le chat et demandez « Say hello. » L’appel apparaît dans [Utilisation](/console/usage/).",
    cursorLimit:
      "Cursor envoie les appels depuis ses propres serveurs : l’adresse doit être joignable depuis internet en HTTPS. La complétion pendant la frappe reste aux modèles de Cursor.",
    cursorUndo: "Désactivez l’URL de base de remplacement et la clé.",
    notRun:
      "Les champs sont testés contre ce programme, mais nos tests n’exécutent ni Cline, ni Continue, ni Cursor. Les noms dans leurs réglages peuvent varier selon la version.",
  },
  billing: {
    title: "Facturation",
    description: "Ce que coûte un appel, ce qui est gratuit, formules, paiements, remboursements et limites des clés.",
    lead: "Vous payez d’avance. Un appel met de côté ce qu’il peut coûter au plus, et à la fin, exactement ce qu’il a utilisé est facturé.",
    units: "Solde",
    unitsText:
      "Le solde est en dollars américains, par pas de {step}. Les modèles ont un prix en dollars américains par million de tokens ; ils sont tous sur la [page des prix](/pricing/). Il n’y a pas d’autre monnaie.",
    cost: "Ce que coûte un appel",
    step: {
      hold: "Avant qu’un appel parte chez un fournisseur, ce qu’il peut coûter au plus est mis de côté : sa taille borne l’entrée, `max_tokens` ou le modèle borne la sortie.",
      count:
        "À la fin, les tokens comptés par le fournisseur sont multipliés par les prix. La somme exacte est arrondie une seule fois, au pas supérieur du solde.",
      free: "Ce qui a été mis de côté sans être utilisé redevient libre.",
    },
    costHold:
      "Un `max_tokens` élevé met beaucoup de côté pendant l’appel. Si un appel est refusé avec `insufficient_quota` malgré un solde, baissez-le.",
    costEstimate:
      "Si un fournisseur n’envoie pas de décompte, ou dit qu’un texte n’a consommé aucun token, {brand} compte ce qu’il a livré. Le reçu indique alors qu’il s’agit d’une estimation.",
    costMultiplier:
      "Un compte a un multiplicateur de tarif, qui vaut 1 sauf accord différent. Le groupe de la clé en a un aussi ; chaque prix est multiplié par les deux. Leur produit est réglé dans les minutes qui suivent l’appel, comme une écriture à part du grand livre ; vous le voyez sur chaque reçu, et le multiplicateur de votre compte dans [Compte](/console/account/).",
    nothing: "Ce qui est gratuit",
    freeList: {
      errors: "Les appels qui finissent par une erreur avant toute sortie.",
      attempts: "Les tentatives échouées sur d’autres canaux, derrière un appel réussi.",
      lists: "Les listes de modèles et les décomptes de tokens.",
      crash: "Les appels coupés parce que {brand} lui-même s’est arrêté.",
    },
    cutText:
      "Si le fournisseur coupe un flux, ce qui a été livré jusque-là est facturé. Si vous quittez une réponse déjà commencée, vous payez aussi l’entrée : {brand} écoute le fournisseur encore quelques secondes, ou aussi longtemps que le modèle avait travaillé avant que vous n’en voyiez quelque chose, une minute au plus, et facture ce qu’il compte, sinon une estimation de l’entrée et de ce qui vous est parvenu. Un appel que vous quittez avant le début de la réponse est gratuit. Un compte ne peut quitter qu’un nombre limité d’appels par heure avant que leur coût soit connu.",
    plans: "Formules",
    plan: "Formule",
    gives: "Ce qu’elle donne",
    ends: "Quand elle se termine",
    credit: "Crédit",
    creditGives: "Un solde à utiliser à votre rythme",
    creditEnds: "Jamais",
    monthly: "Mensuelle",
    monthlyGives: "Un solde pour un mois à partir du paiement",
    monthlyEnds:
      "Ce qui n’est pas utilisé se termine avec le mois. Un mois seul ne se renouvelle pas ; une autre commande en ajoute un. Un abonnement se renouvelle jusqu’à ce que vous l’annuliez.",
    plansText: "Le solde mensuel est utilisé d’abord, le mois qui se termine le plus tôt avant les autres.",
    paying: "Paiements",
    payingText:
      "Les commandes se paient par carte ou par portefeuille, selon ce que l’exploitant propose, en dollars américains. Une commande est créditée une fois, quand le service de paiement a confirmé exactement son montant. Un paiement qui ne correspond pas est examiné par une personne, et rien n’est crédité avant.",
    refunds: "Remboursements",
    refundsText:
      "Écrivez au support avec le numéro de la commande. Un remboursement reprend du solde en proportion de l’argent ; pour une formule mensuelle, seulement tant que le mois court. Le solde utilisé n’est pas remboursé automatiquement.",
    keyLimits: "Limites d’une clé",
    keyLimitsText: "Chaque clé peut avoir ses propres limites, dans [Clés API](/console/keys/) :",
    limit: {
      budget: "Un budget, unique ou renouvelé chaque jour, semaine ou mois (UTC).",
      models: "Les modèles qu’elle peut utiliser, et depuis quelles adresses.",
      rates: "Appels par minute, tokens par minute, appels simultanés.",
      end: "Une date d’expiration.",
    },
    receipts: "Reçus et relevés",
    receiptsText:
      "Chaque appel a un reçu dans [Utilisation](/console/usage/) : unités, version des prix, chaque ligne, somme et multiplicateur, pour que vous puissiez le recalculer. Dans [Facturation](/console/billing/) se trouvent le grand livre et un relevé par mois.",
  },
  automation: {
    title: "Webhooks et programmes",
    description: "Webhooks, jetons d’accès et ligne de commande : ce que les programmes peuvent apprendre et faire.",
    lead: "{brand} signale à vos programmes ce qui se passe, et ils peuvent faire ce que vous faites dans la console.",
    webhooks: "Webhooks",
    webhooksText:
      "Ajoutez une adresse sous [Webhooks](/console/webhooks/) et choisissez ce qu’elle reçoit. Elle doit être publique et commencer par `https://`. Son secret est affiché une seule fois.",
    event: "Événement",
    when: "Quand il est envoyé",
    keyCreated: "Une clé d’API a été créée ou renouvelée.",
    balanceLow: "Il reste moins de 20 % du dernier rechargement, puis à nouveau sous 5 %.",
    paymentSettled: "Un paiement a été crédité.",
    signatures: "Vérifier la signature",
    signaturesText:
      "Chaque message est un `POST` en JSON, signé selon les règles de [Standard Webhooks](https://www.standardwebhooks.com/) dans les en-têtes `webhook-id`, `webhook-timestamp` et `webhook-signature`. Vérifiez-la avec l’une de leurs bibliothèques, sur les octets du corps tels qu’ils sont arrivés, avant de le lire.",
    delivery: "Livraison",
    deliveryRule: {
      answer: "Répondez en 20 secondes au plus avec un statut de 200 à 299. Les redirections ne sont pas suivies.",
      retry:
        "Un message en échec est tenté jusqu’à huit fois en une journée environ ; `retry-after` est respecté. Les messages vers une même adresse partent l’un après l’autre.",
      twice:
        "Un message peut arriver deux fois, ou dans un autre ordre : `webhook-id` reste le même, retenez donc ceux que vous avez traités.",
      off: "Une adresse qui répond 410, ou qui n’a fait qu’échouer pendant trois jours, est désactivée, et vous recevez un e-mail.",
      rotate: "Quand vous renouvelez le secret, l’ancien signe encore pendant 24 heures.",
    },
    deliveryLog:
      "La page montre ce qui a été envoyé au cours des 30 derniers jours et ce qui est revenu. Vous pouvez renvoyer un message, ou envoyer un test.",
    tokens: "Jetons d’accès",
    tokensText:
      "Un programme muni d’un jeton d’accès peut faire ce que vous faites dans la console, aux mêmes adresses sous `/backend`. Créez-en un sous [Jetons d’accès](/console/tokens/) et envoyez-le en tant que `Authorization: Bearer`.",
    tokenRule: {
      scopes: "Un jeton a les droits que vous choisissez, expire dans l’année et ne peut jamais faire plus que vous.",
      closed: "Les connexions, les mots de passe et les jetons ne se gèrent pas avec un jeton.",
      organisation: "Un jeton créé pendant que vous agissez pour une organisation vaut pour cette organisation.",
      description:
        "[Chaque opération](/backend/docs/) est décrite ; des clients peuvent être générés à partir de `/backend/openapi.json`.",
      key: "Avec une clé d’API seule, `/v1/usage`, `/v1/credits` et `/v1/key` indiquent ce qu’elle a dépensé et peut dépenser.",
    },
    commandLine: "Ligne de commande",
    commandLineText:
      "Le programme `sluice`, fourni avec le service, utilise lui aussi un jeton d’accès. `sluice login` le demande ; ensuite, `sluice keys create --name report` ou `sluice usage --json` s’exécutent depuis un shell, et `sluice --help` liste le reste.",
  },
};
