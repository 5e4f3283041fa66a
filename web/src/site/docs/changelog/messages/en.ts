import { english } from "../../../../i18n/messages.ts";
import type { ChangeId } from "../changes.ts";

export const en = english({
  title: "API changes",
  description: "What has changed for programs that call the API, the newest first, also as a feed.",
  lead: "What has changed for programs that call the API, the newest first. Nothing here breaks a request that worked before. Your operator decides when to install a new version.",
  feed: "Follow these changes in a [feed]({feed}) (Atom).",
  change: {
    errorLink:
      "Error responses have a `Link` header that leads to their code on the [page about errors](/docs/errors/).",
    capabilities:
      "The [list of models](/models/) names what each model can do, sorts by every column, and shows the prices of your own group once you have logged in.",
    tags: "Calls can carry tags in the header `x-sluice-tags`, and name your end user in `safety_identifier`, `user` or `metadata.user_id`. Usage is summed by both.",
    organisations:
      "Several people can share one balance as an organisation. Programs name it in the header `x-organisation`.",
    fallback:
      "If another model answered in place of the one you asked for, `x-sluice-model-used` names it. `x-sluice-fallback: off` declines that for a call.",
    cache:
      "Keys can have repeated requests answered from stored responses. `x-sluice-cache` says whether a response is one of them.",
    cohere: "`/v2/rerank` takes requests of Cohere clients.",
    gemini:
      "Gemini clients work at `/v1beta`: `:generateContent`, `:streamGenerateContent`, `:countTokens` and embeddings.",
    convert:
      "Chat completions, Responses and Messages work with every chat model: requests are converted where a provider speaks only one of these APIs. `x-sluice-dropped` and `x-compat-dropped` name what was left out.",
    ending:
      "Responses of a deprecated model have the headers `Deprecation` and `Sunset`, and so has `/v1/models`. A model that has ended is refused with `model_ended`.",
    keyUsage: "`/v1/usage`, `/v1/credits` and `/v1/key` say what a key has spent and can still spend.",
    first: "The first release, 0.1.0: `/v1` for OpenAI clients and `/msgcompat` for Anthropic clients.",
  } satisfies Record<ChangeId, string>,
});

export type ChangelogTexts = typeof en;
