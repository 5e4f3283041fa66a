import { english } from "../../../i18n/messages.ts";

export const en = english({
  frame: {
    nav: "Docs",
    onThisPage: "On this page",
    copy: "Copy",
    copied: "Copied",
    copyPage: "Copy page as Markdown",
    asMarkdown: "Markdown",
    choose: "Choose a language or library",
    snippet: "Code",
    previous: "Previous",
    next: "Next",
    updated: "Last updated {date}",
    install: "Install",
    check: "Check",
    limits: "Limits",
    undo: "Undo",
    key: "Your key",
    keyPlace: "The code on this page shows `sk-...` where your key belongs.",
    keyLogIn: "Log in to put one in",
    keyCreate: "Create a key for this page",
    keyCreated: "The new key is in the code until you leave this page. Copy it now: nobody can show it again.",
    keyManage: "Manage keys",
    keyFailed: "No key was created.",
  },
  index: {
    description: "How to call models through Sluice: the first call, clients, coding agents and billing.",
    lead: "From the first call to the bill. Begin with the [quickstart](/docs/quickstart/) if you have no key yet.",
  },
  quickstart: {
    title: "Quickstart",
    description: "From an account to the first answered call, in four steps.",
    lead: "Sluice speaks the OpenAI API and the Anthropic API. Keep the client that you have, and change its address and its key.",
    account: "1. Create an account",
    accountText:
      "[Sign up](/register/) with an e-mail address and a password, and open the link in the mail. It verifies the address; until then you can't log in.",
    credit: "2. Load credit",
    creditText:
      "Choose a plan under [Billing](/console/billing/) in the console. The credit is there as soon as the payment gateway has confirmed the payment. [How billing works](/docs/billing/).",
    key: "3. Create an API key",
    keyText:
      "Create a key under [API keys](/console/keys/) and copy it: it is shown once. Keep it in the environment, not in a file of your project.",
    call: "4. Send a call",
    callText:
      "Prices and names of all models are on the [price page](/pricing/). The list that your key may use is what `/v1/models` answers:",
    callDone:
      "Every answer carries the header `x-request-id`. With it you find the call and its receipt under [Usage](/console/usage/), and support finds it too.",
    addresses: "Addresses",
    api: "API",
    baseUrl: "Base URL",
    keyHeader: "Key",
    or: "{one} or {other}",
    nextSteps: "Where to go from here",
    nextText:
      "Set up your [library](/docs/clients/) or your [coding agent](/docs/agents/), or read [what errors mean](/docs/clients/#errors).",
  },
  clients: {
    title: "Clients",
    description: "curl, OpenAI SDK, Anthropic SDK, Vercel AI SDK and LangChain: set up, check, limits, undo.",
    lead: "Each snippet reads your key from `SLUICE_API_KEY` and runs as it is. Our tests run them against this program.",
    before: "Before you begin",
    beforeText: "Put your key into the environment of the shell:",
    checkText: "Run it. It prints an answer, and the call appears under [Usage](/console/usage/) within a few seconds.",
    curlText: "A whole answer, an answer as a stream of events, or the Anthropic format:",
    curlLimit:
      "`/v1` takes the key as `Authorization: Bearer`, `/msgcompat/v1` also as `x-api-key`. Two different keys in one request to `/v1` are refused.",
    openaiText:
      "The base URL ends in `/v1`. Chat completions, responses, embeddings, images, audio and other paths go to the provider as you send them, where the model offers them.",
    openaiLimit:
      "What a model can do is up to its provider: a parameter that it does not know is answered with the provider's error.",
    anthropicText: "The base URL ends in `/msgcompat`, without `/v1`: the SDK adds that itself.",
    anthropicLimit:
      "The model names are those that the operator has mapped; `/msgcompat/v1/models` lists them. What the model behind a name can't be told, like `thinking`, is left out and named in the header `x-compat-dropped`; with `x-compat-strict: true` in the request it is an error.",
    aiSdkText: "The package for OpenAI-compatible providers of the AI SDK:",
    aiSdkLimit:
      "Take this package and not `@ai-sdk/openai`: that one asks the Responses API unless told otherwise, which not every model serves. It also names earlier turns by their ids, which is refused here unless the option `store` is `false`.",
    langchainText: "The OpenAI integration of LangChain, with another base URL:",
    langchainLimit: "LangChain counts tokens by its own estimate; what is charged is on the receipt of the call.",
    undoBase:
      "Remove the base URL and put the provider's key back. Then revoke the key under [API keys](/console/keys/).",
    undoCurl: "Nothing is installed. Run `unset SLUICE_API_KEY` and revoke the key under [API keys](/console/keys/).",
    retries: "Retries and limits",
    retry: {
      after:
        "When waiting helps, the answer says for how long in `retry-after`, in seconds. The SDKs of OpenAI and Anthropic honour it and try twice more by themselves.",
      channels:
        "Before anything of an answer has gone out, Sluice itself tries another channel where there is one. These attempts cost nothing.",
      body: "A request may have 32 MiB and JSON 64 levels deep, unless the operator set other limits. Compressed request bodies are refused.",
      slash: "Paths under `/v1` have no slash at the end.",
    },
    errors: "Errors",
    errorsText:
      "Errors have the format of the API that you call. The statuses are those of `/v1` and, after the slash, of `/msgcompat` where they differ.",
    status: "Status",
    code: "Code",
    meaning: "Meaning",
    charged: "Charged?",
    no: "No",
    delivered: "What was delivered",
    error: {
      key: "There is no key, or it is wrong, revoked or expired.",
      forbidden: "The account is disabled, or the key may not be used from this address.",
      model: "The model does not exist, or the key may not use it.",
      quota:
        "The credit, or the limit of the key, does not cover the most that the call can cost. Lower `max_tokens` or load credit.",
      rate: "The key has reached its calls or tokens per minute, or its calls at a time.",
      providerRate: "The provider limits calls at the moment.",
      request: "The request is not valid; the message names the field.",
      option:
        "An option costs extra at a provider and has no price here, names what is stored there, or chooses another model; the message names it.",
      size: "The request body is too large.",
      rejected: "The provider refused the request; its own status and message are passed on where that is safe.",
      provider: "The provider failed or could not be reached.",
      timeout: "The provider did not answer in time.",
      unavailable: "No channel is free, or Sluice can't check or record the call right now.",
      cut: "The provider broke off in the middle of an answer. A stream ends with an error event and never looks complete.",
      closed: "Your program closed the connection before the end.",
    },
  },
  agents: {
    title: "Coding agents",
    description: "Claude Code, Codex, opencode, Cline and Cursor: set up, check, limits, undo.",
    lead: "Make a key of its own for each agent, with a budget: agents send many calls, and such a key shows what each of them costs.",
    keyText: "Codex and opencode read the key from the environment:",
    checkText: "It prints an answer, and the call appears under [Usage](/console/usage/).",
    claude: {
      first: "Put this into `~/.claude/settings.json`, with your key. Never into a file of a project that others see.",
      second: "Remove `ANTHROPIC_API_KEY` from your environment: it would be sent as well.",
      third: "Start `claude` anew; `/status` shows the address.",
    },
    claudeLimit:
      "The names of Claude models are answered by the models that the operator has mapped them to. Token counts ahead of a call are estimates. Caching and thinking work only where that model has them.",
    claudeUndo: "Remove the two lines from `~/.claude/settings.json` and start `claude` anew.",
    codex: {
      first: "Put this at the top of `~/.codex/config.toml`.",
      second: "Start `codex` in a shell that has `SLUICE_API_KEY`.",
    },
    codexLimit:
      "Codex speaks the Responses API, so the model has to be one that serves it. Codex warns that it has no metadata of the model; that is why the context window stands in the file. Its web search costs extra at a provider, so it is left out of the request; the header `x-sluice-dropped` says so.",
    codexUndo: "Remove the lines again; Codex then uses the provider it had before.",
    opencode: {
      first:
        "Put this into `~/.config/opencode/opencode.json`, or into `opencode.json` of a project: the key is not in it.",
      second: "Start `opencode` in a shell that has `SLUICE_API_KEY`, and choose the model with `/models`.",
    },
    opencodeLimit:
      "opencode shows only models that stand in the file, and no prices. The exact cost is under [Usage](/console/usage/).",
    opencodeUndo: "Remove `sluice` from `provider`, and the line `model`.",
    cline: {
      first: "Open the settings of Cline and choose `OpenAI Compatible` as API provider.",
      second: "Fill in the fields:",
    },
    clineCheck: "Ask “Say hello.” in a new task. The call appears under [Usage](/console/usage/).",
    clineLimit:
      "Cline knows neither context nor prices of the model: set the context window to {context} tokens under the model configuration, and read costs in the console.",
    clineUndo: "Choose the former API provider in the settings of Cline.",
    cursor: {
      first: "Open the settings of Cursor, then Models, then API keys.",
      second: "Fill in the fields and switch on the key:",
    },
    cursorCheck: "Choose the model in the chat and ask “Say hello.” The call appears under [Usage](/console/usage/).",
    cursorLimit:
      "Cursor sends calls from its own servers, so the address has to be reachable from the internet over HTTPS. Completion while you type stays with Cursor's own models.",
    cursorUndo: "Switch off the override of the base URL and the key.",
    notRun:
      "The fields are tested against this program, but Cline and Cursor themselves are not run by our tests. Names in their settings may differ between versions.",
  },
  billing: {
    title: "Billing",
    description: "What a call costs, what is free, plans, payments, refunds, and limits of keys.",
    lead: "You pay in advance. A call sets aside the most that it can cost, and is charged exactly what it used when it ends.",
    units: "Credit and quota",
    unitsText:
      "Credit is counted in quota, and {quota} quota are 1 USD. Models are priced in US dollars per million tokens; the [price page](/pricing/) has all of them. There is no other currency.",
    cost: "What a call costs",
    step: {
      hold: "Before a call goes to a provider, the most it can cost is set aside: its size bounds the input, `max_tokens` or the model bounds the output.",
      count:
        "At its end the provider's token counts are multiplied by the prices. The exact sum is rounded up once, to whole quota.",
      free: "What was set aside and not used is free again.",
    },
    costHold:
      "A high `max_tokens` sets much aside while the call runs. If a call is refused with `insufficient_quota` although there is credit, lower it.",
    costEstimate:
      "If a provider sends no counts, or says that a text took no tokens, Sluice counts what it delivered. The receipt then says that the count is an estimate.",
    costMultiplier:
      "An account has a rate multiplier, which is 1 unless something else was agreed. It is settled within minutes after the call, as an entry of its own in the ledger; you see it under [Account](/console/account/).",
    nothing: "What is free",
    freeList: {
      errors: "Calls that end in an error before there is any output.",
      attempts: "Failed attempts on other channels, behind a call that succeeded.",
      lists: "Lists of models and token counts.",
      crash: "Calls that were cut because Sluice itself stopped.",
    },
    cutText:
      "When the provider breaks off a stream, what was delivered until then is charged. When you leave an answer that has begun, you also pay for the input: Sluice listens to the provider for a few more seconds, or for as long as the model had worked before you saw any of it, at most a minute, and charges what it counts, or else an estimate of the input and of what reached you. A call that you leave before its answer begins is free. An account may leave only a limited number of calls an hour before it is known what they cost.",
    plans: "Plans",
    plan: "Plan",
    gives: "What it gives",
    ends: "When it ends",
    credit: "Credit",
    creditGives: "Credit to use as you go",
    creditEnds: "Never",
    monthly: "Monthly",
    monthlyGives: "Credit for one month from the payment",
    monthlyEnds: "What is unused ends with the month. Nothing renews by itself; another order adds a month.",
    plansText: "Credit of a month is used first, the month that ends soonest before others.",
    paying: "Payments",
    payingText:
      "Orders are paid by card or by wallet, as the operator offers them, in US dollars. An order is credited once, when the gateway has confirmed exactly its amount. A payment that does not fit is looked at by a person, and nothing is credited until then.",
    refunds: "Refunds",
    refundsText:
      "Ask support, with the number of the order. A refund takes quota back in proportion to the money; for a monthly plan, only while the month runs. Quota that was used is not refunded by itself.",
    keyLimits: "Limits of a key",
    keyLimitsText: "Each key can have limits of its own, under [API keys](/console/keys/):",
    limit: {
      budget: "A budget, once or anew each day, week or month (UTC).",
      models: "Which models it may use, and from which addresses.",
      rates: "Calls per minute, tokens per minute, calls at a time.",
      end: "A date at which it expires.",
    },
    receipts: "Receipts and statements",
    receiptsText:
      "Each call has a receipt under [Usage](/console/usage/): units, version of the prices, each line, sum, and multiplier, so that you can compute it again. [Billing](/console/billing/) has the ledger and a statement for each month.",
  },
});

export type DocTexts = typeof en;
