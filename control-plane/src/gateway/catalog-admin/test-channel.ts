import type { ChannelTest, TestChannelInput } from "@sluice/contracts/catalog-admin";
import type { ModelKind } from "@sluice/contracts/model-kinds";
import type { AddressGuard } from "@sluice/http-client/address-guard";
import type { Database } from "../../platform/db.ts";
import { AppError } from "../../platform/errors.ts";
import { toUpstream } from "../channels/model.ts";
import { findServedModel } from "./catalog-admin-store.ts";
import { clean, messageIn, type Probes } from "./probe/exchange.ts";
import { type OpenCredentials, type ProbedChannel, readProbed } from "./probe/probe-target.ts";
import { type TestReading, targetOf, testCallOf } from "./probe/test-calls.ts";

export type ChannelTestDeps = {
  readonly db: Database;
  readonly probes: Probes;
  readonly openCredentials: OpenCredentials;
  readonly guard: AddressGuard | null;
};

const responseBytesMax = 256 * 1024;
const textLengthMax = 200;

/**
 * Sends a channel, or an upstream that is not saved yet, one small call of our own. Nobody is charged.
 * @throws AppError `not_found`, `conflict`, `secret_required`, `too_many_attempts`, `invalid_value` without a model or
 * for one that can't be tested
 */
export async function testChannel(deps: ChannelTestDeps, input: TestChannelInput): Promise<ChannelTest> {
  const probed = await readProbed(deps, input);
  const { model, kind } = await readAsked(deps.db, probed, input);
  const { endpoints, changes, flags } = toUpstream(probed.upstream);
  const found = testCallOf(kind, (each) => endpoints.has(each) && (input.dialect ?? each) === each);
  const endpoint = found === null ? undefined : endpoints.get(found.dialect);
  if (found === null || endpoint === undefined) {
    const message = `A model of the kind ${kind} can't be tested with a call at these addresses.`;
    throw new AppError("invalid_value", { fields: { model: message } });
  }
  const { dialect, call } = found;
  const { status, body, problem, latencyMs } = await deps.probes.exchange(
    { ...probed, endpoint, changes },
    {
      method: "POST",
      target: targetOf(endpoint.basePath, dialect, call.path(model)),
      headers: call.headers,
      body: call.body(model, flags),
      responseBytesMax,
    },
  );
  const isAccepted = problem === null && status !== null && status >= 200 && status < 300;
  const reading = isAccepted && typeof body === "object" && body !== null ? call.read(body as never) : null;
  const error =
    reading === null ? (problem ?? messageIn(body) ?? `The provider sent status ${status} and no result.`) : null;
  return {
    channel_id: probed.channel === null ? null : Number(probed.channel.id),
    credential: probed.credentialLabel,
    model,
    dialect,
    is_ok: reading !== null,
    http_status: status,
    latency_ms: latencyMs,
    error: error === null ? null : clean(error, probed.credential),
    ...shown(reading, probed.credential),
  };
}

function shown(reading: TestReading | null, credential: string | null) {
  const text = (value: unknown) => (typeof value === "string" ? clean(value, credential, textLengthMax) : null);
  return {
    answered_model: text(reading?.model),
    text: text(reading?.text),
    input_tokens: countIn(reading?.counts.input),
    output_tokens: countIn(reading?.counts.output),
  };
}

/** The provider's name of the model to test, and its kind. */
async function readAsked(
  db: Database,
  { channel }: ProbedChannel,
  { model: sent, model_kind: kind }: TestChannelInput,
): Promise<{ readonly model: string; readonly kind: ModelKind }> {
  const model = sent ?? null;
  const served = channel === null ? null : await findServedModel(db, channel.id, model);
  const asked = served?.upstreamModel ?? served?.model ?? model;
  if (asked === null) {
    throw new AppError("invalid_value", {
      fields: { model: "This channel serves no model yet: name the one to test." },
    });
  }
  return { model: asked, kind: kind ?? served?.kind ?? "chat" };
}

function countIn(value: unknown): number | null {
  return Number.isSafeInteger(value) ? (value as number) : null;
}
