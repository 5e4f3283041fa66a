import { english } from "../../../i18n/messages.ts";

export const en = english({
  frame: {
    nav: "Docs",
    onThisPage: "On this page",
    search: "Search the docs",
    searchNone: "Nothing found for “{query}”.",
    searchFailed: "The search could not be loaded. Try again.",
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
    keyPlace: "The code on this page shows `sk-...` where your key goes.",
    keyLogIn: "Log in to use your key here",
    keyCreate: "Create a key for this page",
    keyCreated: "The new key is filled into the code until you leave this page. Copy it now: it can't be shown again.",
    keyManage: "Manage keys",
    keyFailed: "The key was not created.",
  },
  index: {
    description: "How to call models through {brand}: first call, clients, coding agents and billing.",
    lead: "From the first call to the bill. Start with the [quickstart](/docs/quickstart/) if you have no key yet.",
  },
  quickstart: {
    title: "Quickstart",
    description: "From sign-up to your first response in four steps.",
    lead: "{brand} speaks the OpenAI API and the Anthropic API. Keep your client; change only its address and key.",
    account: "1. Create an account",
    accountText:
      "[Sign up](/register/) with an e-mail address and a password, and open the link in the e-mail to verify the address. You can then log in.",
    credit: "2. Top up your balance",
    creditText:
      "Choose a plan under [Billing](/console/billing/) in the console. Your balance is topped up once the payment provider has confirmed the payment. [How billing works](/docs/billing/).",
    key: "3. Create an API key",
    keyText:
      "Create a key under [API keys](/console/keys/) and copy it: it is shown once. Keep it in the environment, not in a file of your project.",
    call: "4. Send a call",
    callText:
      "All models and prices are on the [price page](/pricing/). `/v1/models` lists the models your key can use:",
    callDone:
      "Every response has an `x-request-id` header. Use it to find the call and its receipt under [Usage](/console/usage/), and give it to support.",
    addresses: "Addresses",
    api: "API",
    baseUrl: "Base URL",
    keyHeader: "Key",
    or: "{one} or {other}",
    nextSteps: "Next steps",
    nextText:
      "Set up your [library](/docs/clients/) or your [coding agent](/docs/agents/), or read [what errors mean](/docs/errors/).",
  },
  clients: {
    title: "Clients",
    description: "curl, OpenAI SDK, Anthropic SDK, Vercel AI SDK, LangChain and LiteLLM: set up, check, limits, undo.",
    lead: "Each snippet reads your key from `GATEWAY_API_KEY` and runs as it is. Our tests run them against this program.",
    before: "Before you start",
    beforeText: "Put your key into the shell's environment:",
    checkText:
      "Run it. It prints a response, and the call appears under [Usage](/console/usage/) within a few seconds.",
    curlText: "A complete response, a streamed response, or the Anthropic format:",
    curlLimit:
      "`/v1` takes the key as `Authorization: Bearer`, `/msgcompat/v1` also as `x-api-key`. A request to `/v1` with two different keys is refused.",
    openaiText:
      "The base URL ends in `/v1`. Chat completions, responses, embeddings, images, audio and other paths go to the provider as you send them, if the model supports them.",
    openaiLimit: "What a model can do depends on its provider, which may refuse parameters that it does not know.",
    anthropicText: "The base URL ends in `/msgcompat`, without `/v1`: the SDK adds that itself.",
    anthropicLimit:
      "You can use the names of the model list and those that the operator has mapped; `/msgcompat/v1/models` lists both. Options that the model does not support, like `thinking`, are left out and listed in the `x-compat-dropped` header. With `x-compat-strict: true` in the request they are an error.",
    aiSdkText: "The package for OpenAI-compatible providers of the AI SDK:",
    aiSdkLimit:
      "Use this package, not `@ai-sdk/openai`: that one refers to earlier turns by ID, which is refused here unless `store` is `false`.",
    langchainText: "The OpenAI integration of LangChain, with another base URL:",
    langchainLimit: "LangChain counts tokens by its own estimate; the call's receipt shows what is charged.",
    litellmText: "LiteLLM as a library, with its OpenAI provider and another base URL:",
    litellmLimit: "LiteLLM calculates costs from a price list of its own; the call's receipt shows what is charged.",
    undoBase:
      "Remove the base URL and restore the provider's key. Then revoke the key under [API keys](/console/keys/).",
    undoCurl: "Nothing is installed. Run `unset GATEWAY_API_KEY` and revoke the key under [API keys](/console/keys/).",
    retries: "Retries and limits",
    retry: {
      after:
        "If waiting helps, `retry-after` in the response says for how many seconds. The OpenAI and Anthropic SDKs honour it and retry twice by default.",
      channels:
        "Until the first part of a response is sent, {brand} itself tries other channels if there are any. Failed attempts cost nothing.",
      fallback:
        "If the key allows it, another model may answer at its own price when every channel of a model fails or the prompt is too long for it. The `x-sluice-model-used` header names that model. To decline this for a request, send `x-sluice-fallback: off`.",
      body: "A request can be up to 32 MiB, with JSON up to 64 levels deep, unless the operator has set other limits. Compressed request bodies are refused.",
      slash: "Paths under `/v1` have no trailing slash.",
    },
    cache: "Response cache",
    cacheText:
      "If the operator offers it, a key can have repeated requests answered from stored responses. Turn it on in the settings of the key under [API keys](/console/keys/). A request gets a stored response only if it is the same byte for byte and its key, of the same account, uses the cache too. The response has the same bytes as the first one, streamed or whole.",
    cacheRule: {
      seen: "`x-sluice-cache: hit` or `miss` in a response says where it came from; `age` says how many seconds old a hit is.",
      off: "`x-sluice-cache: off` in a request bypasses the cache; `refresh` gets a new response and stores it. `cache-control` with `no-store`, `no-cache` or `max-age` is obeyed too.",
      time: "`x-sluice-cache-ttl: 600` stores the response for 600 seconds, as far as the operator allows.",
      price:
        "A hit costs the share of its normal price that the operator has set. Its receipt shows the share, and it counts towards the limits of the key.",
      kept: "Complete responses of chat completions, responses, messages, embeddings and the Gemini API are stored; errors, interrupted streams and responses with web searches are not.",
    },
    labels: "End users and tags",
    labelsText:
      "To see what each of your end users or features costs, name them in the call. The end user is `safety_identifier`, `user` or `metadata.user_id`, up to 256 characters. Tags come from the header `x-sluice-tags` and from short strings in `metadata`: up to eight, with names of letters, digits and `_.-`.",
    labelRule: {
      seen: "[Usage](/console/usage/) has filters, columns and sums for both, and so does its CSV file.",
      personal:
        "Don't send names or e-mail addresses: an ID of your own, or its hash, is enough. End users and tags are erased with the metadata of the call, usually after 90 days.",
      off: "To keep neither, turn it off in the settings of a key under [API keys](/console/keys/), or for all keys under [Usage](/console/usage/). The provider gets the fields of the body in any case, but never the header.",
    },
    errors: "Errors",
    errorsText:
      "Errors have the format of the API you call. [The page about errors](/docs/errors/) says what each code means, whether it is charged, and what to do.",
    charged: "Charged?",
    no: "No",
    delivered: "What was delivered",
    error: {
      key: "The key is missing, wrong, revoked or expired.",
      forbidden: "The account is disabled, the operator has locked the key, or it can't be used from this address.",
      model: "The model does not exist, or the key can't use it.",
      quota:
        "Your balance, or the key's limit, does not cover the most that the call can cost. Lower `max_tokens` or top up.",
      spend:
        "Your account has reached what the operator lets it spend per day or month. The message says when that resets.",
      rate: "The key or the account has reached its limit of calls per minute, tokens per minute or concurrent calls.",
      providerRate: "The provider is rate-limiting calls at the moment.",
      request: "The request is not valid; the message names the field.",
      option:
        "An option costs extra at the provider and has no price here, refers to something stored there, or chooses another model; the message names it.",
      size: "The request body is too large.",
      rejected: "The provider refused the request; its own status and message are passed on where that is safe.",
      provider: "The provider failed or could not be reached.",
      timeout: "The provider did not respond in time.",
      unavailable: "No channel is free, or {brand} can't check or record the call right now.",
      cut: "The provider interrupted the response. A stream then ends with an error event and never looks complete.",
      closed: "Your program closed the connection early.",
    },
  },
  agents: {
    title: "Coding agents",
    description: "Claude Code, Codex, opencode, Gemini CLI, Cline, Continue and Cursor: set up, check, limits, undo.",
    lead: "Create a separate key with a budget for each agent: agents send many calls, and separate keys show what each agent costs.",
    keyText: "Codex and opencode read the key from the environment:",
    checkText: "It prints a response, and the call appears under [Usage](/console/usage/).",
    claude: {
      first: "Put this into `~/.claude/settings.json`, with your key. Never put it into a shared project file.",
      second: "Remove `ANTHROPIC_API_KEY` from your environment: it would be sent too.",
      third: "Restart `claude`; `/status` shows the address.",
    },
    claudeLimit:
      "A Claude model that is not in the model list itself is served by the model the operator has mapped its name to. Token counts before a call are then estimates, and caching and thinking work only if that model supports them.",
    claudeUndo: "Remove the two lines from `~/.claude/settings.json` and restart `claude`.",
    codex: {
      first: "Put this at the top of `~/.codex/config.toml`.",
      second: "Start `codex` in a shell that has `GATEWAY_API_KEY`.",
    },
    codexLimit:
      "Codex works with every chat model. It warns that it has no metadata for the model, which is why the file sets the context window. Its web search costs extra at the provider, so it is left out of the request; the `x-sluice-dropped` header says so.",
    codexUndo: "Remove the lines; Codex then uses its previous provider.",
    opencode: {
      first:
        "Put this into `~/.config/opencode/opencode.json`, or into a project's `opencode.json`: it does not contain the key.",
      second: "Start `opencode` in a shell that has `GATEWAY_API_KEY`, and choose the model with `/models`.",
    },
    opencodeLimit:
      "opencode shows only the models listed in the file, without prices. The exact cost is under [Usage](/console/usage/).",
    opencodeUndo: "Remove `gateway` from `provider`, and the `model` line.",
    gemini: {
      first: "Put this into `~/.gemini/.env`, with your key.",
      second: "Start `gemini` and choose `Use Gemini API key` when it asks how to sign in.",
    },
    geminiLimit:
      "Only models that a provider serves in the Gemini API work; `/v1beta/models` lists them. The address has to use HTTPS, except on your own machine.",
    geminiUndo: "Remove the two lines from `~/.gemini/.env`.",
    cline: {
      first: "Open the settings of Cline and choose `OpenAI Compatible` as API provider.",
      second: "Fill in the fields:",
    },
    clineCheck: "Ask “Say hello.” in a new task. The call appears under [Usage](/console/usage/).",
    clineLimit:
      "Cline does not know the model's context or prices: set the context window to {context} tokens in the model configuration, and check costs in the console.",
    clineUndo: "Choose your previous API provider in the settings of Cline.",
    continueEditor: { first: "Put this into `~/.continue/config.yaml`, with your key." },
    continueCheck: "Choose the model in Continue and ask “Say hello.” The call appears under [Usage](/console/usage/).",
    continueLimit: "Continue does not show costs. The exact cost is under [Usage](/console/usage/).",
    continueUndo: "Remove the model from `~/.continue/config.yaml`.",
    cursor: {
      first: "Open the settings of Cursor, then Models, then API keys.",
      second: "Fill in the fields and turn on the key:",
    },
    cursorCheck: "Choose the model in the chat and ask “Say hello.” The call appears under [Usage](/console/usage/).",
    cursorLimit:
      "Cursor sends calls from its own servers, so the address must be reachable from the internet over HTTPS. Completion while you type stays with Cursor's own models.",
    cursorUndo: "Turn off the base URL override and the key.",
    notRun:
      "The field values are tested against this program, but our tests do not run Cline, Continue or Cursor themselves. Names in their settings may differ between versions.",
  },
  billing: {
    title: "Billing",
    description: "What a call costs, what is free, plans, payments, refunds, and key limits.",
    lead: "You pay in advance. While a call runs, the most it can cost is set aside; when it ends, you pay exactly what it used.",
    units: "Balance",
    unitsText:
      "Your balance is in US dollars, in steps of {step}. Models are priced in US dollars per million tokens; the [price page](/pricing/) lists them all. There is no other currency.",
    cost: "What a call costs",
    step: {
      hold: "Before a call goes to a provider, the most it can cost is set aside: its size limits the input, and `max_tokens` or the model limits the output.",
      count:
        "When it ends, the provider's token counts are multiplied by the prices. The exact sum is rounded up once, to the next step of the balance.",
      free: "What was set aside and not used becomes available again.",
    },
    costHold:
      "A high `max_tokens` sets aside a lot while the call runs. If a call is refused with `insufficient_quota` even though you have a balance, lower it.",
    costEstimate:
      "If a provider sends no counts, or reports that some text took no tokens, {brand} counts what it delivered. The receipt then says that the count is an estimate.",
    costMultiplier:
      "An account has a rate multiplier, 1 unless agreed otherwise. The group of the API key has one too; each price is multiplied by both. Their product is applied within minutes after the call, as a separate ledger entry; each receipt shows it, and [Account](/console/account/) shows the multiplier of your account.",
    nothing: "What is free",
    freeList: {
      errors: "Calls that fail before producing any output.",
      attempts: "Failed attempts on other channels before a successful one.",
      lists: "Lists of models and token counts.",
      crash: "Calls interrupted because {brand} itself stopped.",
    },
    cutText:
      "When the provider interrupts a stream, you pay for what was delivered until then. A call that you cancel before its response begins is free. When you cancel a response that has begun, you also pay for the input. {brand} then listens to the provider for a few more seconds, or as long as the model had worked before you saw any of it, at most a minute, and charges what the provider counts. Without a count, it charges an estimate of the input and of what reached you. An account can cancel only a limited number of calls per hour before their cost is known.",
    plans: "Plans",
    plan: "Plan",
    gives: "What it gives",
    ends: "When it ends",
    credit: "Credit",
    creditGives: "Balance to use as you go",
    creditEnds: "Never",
    monthly: "Monthly",
    monthlyGives: "Balance for one month from the payment",
    monthlyEnds:
      "The unused part expires with the month. A single month does not renew, and another order adds one. A subscription renews until you cancel it.",
    plansText: "Monthly balance is used first, starting with the month that ends soonest.",
    paying: "Payments",
    payingText:
      "You pay by card or wallet, as the operator offers, in US dollars. An order is credited once, when the payment provider has confirmed its exact amount. A payment that does not match is reviewed by a person, and nothing is credited until then.",
    refunds: "Refunds",
    refundsText:
      "Contact support with the order number. A refund takes balance back in proportion to the money; for a monthly plan, only during its month. Used balance is not refunded automatically.",
    keyLimits: "Limits of a key",
    keyLimitsText: "Each key can have its own limits, under [API keys](/console/keys/):",
    limit: {
      budget: "A budget: one-time, or reset daily, weekly or monthly (UTC).",
      models: "Which models it may use, and from which addresses.",
      rates: "Calls per minute, tokens per minute, concurrent calls.",
      end: "A date at which it expires.",
    },
    receipts: "Receipts and statements",
    receiptsText:
      "Each call has a receipt under [Usage](/console/usage/): units, price version, each line, sum and multiplier, so you can recompute it. [Billing](/console/billing/) has the ledger and monthly statements.",
  },
  automation: {
    title: "Webhooks and programs",
    description: "Webhooks, access tokens and the command line: what programs can read and do.",
    lead: "Let {brand} report events to your programs, and let them do what you do in the console.",
    webhooks: "Webhooks",
    webhooksText:
      "Add an address under [Webhooks](/console/webhooks/) and choose what it gets. It must be public and begin with `https://`. Its secret is shown once.",
    event: "Event",
    when: "When it is sent",
    keyCreated: "An API key was created or rotated.",
    balanceLow: "Less than 20 % of the last top-up is left, and again below 5 %.",
    paymentSettled: "A payment was credited.",
    signatures: "Check the signature",
    signaturesText:
      "Each message is a `POST` with JSON, signed by the rules of [Standard Webhooks](https://www.standardwebhooks.com/) in the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`. Check it with one of their libraries, over the bytes of the body as they arrived, before you read it.",
    delivery: "Delivery",
    deliveryRule: {
      answer: "Respond within 20 seconds with a status from 200 to 299. Redirects are not followed.",
      retry:
        "A failed message is tried up to eight times within about a day; `retry-after` is honoured. Messages to one address are sent one after the other.",
      twice:
        "A message can arrive twice, and in another order: `webhook-id` stays the same, so remember which ones you have handled.",
      off: "An address that responds with 410, or has only failed for three days, is switched off, and you get an e-mail.",
      rotate: "When you rotate the secret, the old one signs too for 24 hours.",
    },
    deliveryLog:
      "The page shows what was sent in the last 30 days and what came back. You can send a message again, or a test.",
    tokens: "Access tokens",
    tokensText:
      "A program with an access token can do what you do in the console, at the same addresses under `/backend`. Create one under [Access tokens](/console/tokens/) and send it as `Authorization: Bearer`.",
    tokenRule: {
      scopes: "A token has the scopes that you choose, ends within a year, and never does more than you may do now.",
      closed: "Logins, passwords and tokens can’t be managed with a token.",
      organisation: "A token that you create while you act for an organisation is for that organisation.",
      description:
        "[Every operation](/backend/docs/) is described; clients can be generated from `/backend/openapi.json`.",
      key: "With an API key alone, `/v1/usage`, `/v1/credits` and `/v1/key` report what it has spent and can spend.",
    },
    commandLine: "Command line",
    commandLineText:
      "The program `sluice`, which comes with the service, uses an access token too. `sluice login` asks for it. Then run `sluice keys create --name report` or `sluice usage --json`; `sluice --help` lists the rest.",
  },
});

export type DocTexts = typeof en;
