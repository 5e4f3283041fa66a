import { describe, expect, test } from "bun:test";
import { allLocales } from "@sluice/contracts/locales";
import { quotaPerUsd } from "@sluice/contracts/money";
import { shortMoments } from "@sluice/web/src/admin/columns/short-moments.ts";
import { barsWithin, namedTimes, spanOfBars, stepsOf } from "@sluice/web/src/charts/axes.ts";
import { cumulate, isAllZero, stack, stacked, toCsv, totalAt } from "@sluice/web/src/charts/model.ts";
import { seriesColors, seriesSlots } from "@sluice/web/src/charts/series-colors.ts";
import { sparklinePath } from "@sluice/web/src/charts/sparkline-path.ts";
import { spansOf, toEqualPlaces } from "@sluice/web/src/console/pages/usage/attempt-spans.ts";
import { dayIn } from "@sluice/web/src/i18n/days.ts";
import { formatsOf, usdOfQuota } from "@sluice/web/src/i18n/format.ts";
import { successShare } from "@sluice/web/src/i18n/success-share.ts";
import { toCodeTokens } from "@sluice/web/src/kit/code-tokens.ts";
import { findEntries } from "@sluice/web/src/shell/palette-entries.ts";
import { costOfTokens, toTokens } from "@sluice/web/src/site/islands/token-cost.ts";
import { formatSort, nextSort, parseSort } from "@sluice/web/src/table/model.ts";
import fc from "fast-check";

test("time spans have the units of the language", () => {
  const spans = (locale: (typeof allLocales)[number]): string =>
    [310, 2_340].map((value) => formatsOf(locale).milliseconds(value).replace(/\s/g, " ")).join(", ");
  expect([spans("en"), spans("de"), spans("ru"), spans("zh")]).toEqual([
    "310 ms, 2.3 s",
    "310 ms, 2,3 s",
    "310 мс, 2,3 с",
    "310毫秒, 2.3秒",
  ]);
});

test("words are a list with the commas of the language", () => {
  const lists = (["en", "de", "zh", "ar"] as const).map((locale) => formatsOf(locale).list(["ا", "ب", "ج"]));
  expect(lists).toEqual(["ا, ب, ج", "ا, ب und ج", "ا、ب、ج", "ا وب وج"]);
  expect([formatsOf("ko").list([]), formatsOf("ko").list(["a"])]).toEqual(["", "a"]);
});

test("a formatter is created when it is first used, and only once, as is that of a day in a zone", () => {
  const created: string[] = [];
  const { NumberFormat, DateTimeFormat } = Intl;
  const counted = <Class extends object>(name: string, Original: Class): Class =>
    new Proxy(Original, {
      construct: (target, args) => {
        created.push(name);
        return Reflect.construct(target as unknown as new () => object, args);
      },
    });
  Intl.NumberFormat = counted("number", NumberFormat);
  Intl.DateTimeFormat = counted("date", DateTimeFormat);
  try {
    const formats = formatsOf("zh", "Asia/Tokyo");
    expect(created).toEqual([]);
    const rows = [1, 2, 3];
    expect(rows.map((row) => formats.milliseconds(row))).toEqual(["1毫秒", "2毫秒", "3毫秒"]);
    expect(rows.map((row) => formats.date(new Date(row)))).toEqual(Array(3).fill("1970年1月1日"));
    expect(created).toEqual(["number", "date"]);
    expect(rows.map((row) => dayIn("Asia/Tokyo", row))).toEqual(Array(3).fill("1970-01-01"));
    expect(dayIn("Asia/Nowhere", 0)).toBe("1970-01-01");
    expect(dayIn("America/New_York", 0)).toBe("1969-12-31");
    // One of them for the zone that does not exist.
    expect(created).toEqual(["number", "date", "date", "date", "date"]);
  } finally {
    Intl.NumberFormat = NumberFormat;
    Intl.DateTimeFormat = DateTimeFormat;
  }
});

describe("amounts", () => {
  test("are exact: the displayed amount, parsed back, is the quota", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }), (quota) => {
        const text = usdOfQuota(quota);
        const [whole = "", fraction = ""] = text.replace("-", "").split(".");
        const micro = BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, "0"));
        expect((micro * quotaPerUsd) / 1_000_000n).toBe(quota < 0n ? -quota : quota);
        expect(fraction.length).toBeGreaterThanOrEqual(2);
      }),
    );
  });

  test.each([
    [2_500_000, "$5.00"],
    ["9007199254740993", "$18,014,398,509.481986"],
    [1, "$0.000002"],
    [-250_000, "-$0.50"],
  ])("%s quota are %s", (quota, text) => {
    expect(formatsOf("en").quota(quota)).toBe(text);
  });

  test.each([
    [25_426_862, "$50.85", "$50.853724"],
    [-250_000, "-$0.50", "-$0.500000"],
    [617, "$0.0012", "$0.001234"],
    [1, "$0.000002", "$0.000002"],
    [0, "$0.00", "$0.000000"],
  ])("%s quota are %s at a glance, and %s in a column", (quota, rounded, column) => {
    const formats = formatsOf("en");
    expect([formats.quotaRounded(quota), formats.quotaColumn(quota)]).toEqual([rounded, column]);
  });

  test("have the same digits in every language", () => {
    for (const locale of allLocales) {
      expect([locale, formatsOf(locale).usd("1234.56").replace(/\D/g, "")]).toEqual([locale, "123456"]);
    }
  });

  test("stay together in right-to-left text", () => {
    expect(formatsOf("ar").usd("10.00")).toBe("\u2066$10.00\u2069");
  });

  test("keep every decimal place, in the language's notation", () => {
    expect(formatsOf("en").usdExact("0.00781000123")).toBe("$0.00781000123");
    expect(formatsOf("de").usdExact("2").replace(/\s/g, " ")).toBe("2,00 $");
    expect([formatsOf("fr").decimal("1.2500"), formatsOf("ja").decimal("1.2500")]).toEqual(["1,2500", "1.2500"]);
  });

  test("of tokens are exact at any price", () => {
    const price = { inputUsdPerM: "0.15", cachedUsdPerM: "0.01", outputUsdPerM: "0.075" };
    expect(costOfTokens({ input: 1n, cached: 0n, output: 0n }, price)).toBe("0.00000015");
    expect(costOfTokens({ input: 2_000_000n, cached: 3n, output: 999_999_999_999n }, price)).toBe("75000.299999955");
    expect(["", "1,000", "1 000 000", "-5", "9".repeat(30)].map(toTokens)).toEqual([
      0n,
      1_000n,
      1_000_000n,
      5n,
      999_999_999_999n,
    ]);
  });
});

test("times are in the named time zone", () => {
  const moment = "2026-11-21T23:30:00Z";
  expect(formatsOf("en", "UTC").date(moment)).toBe("Nov 21, 2026");
  expect(formatsOf("en", "Asia/Shanghai").date(moment)).toBe("Nov 22, 2026");
  expect(formatsOf("en").relative(moment, Date.parse("2026-11-21T23:33:10Z"))).toBe("3 minutes ago");
});

describe("charts", () => {
  test("keep a gap a gap when values are stacked", () => {
    const series = [
      { name: "a", values: [1, null, 3] },
      { name: "b", values: [10, 20, null] },
    ];
    expect(stack(series)).toEqual([
      [1, null, 3],
      [11, 20, 3],
    ]);
  });

  const named = (name: string) => ({ name, values: [1] });

  test("give each series of a chart a colour of its own, as many as there are", () => {
    const colors = seriesColors(["a", "b", "c", "d", "e", "f", "g"].map(named));
    expect(new Set(colors.values()).size).toBe(seriesSlots);
  });

  test("take the colour from the id, so that it is the same in every language", () => {
    const inEnglish = seriesColors([{ ...named("Cost"), id: "cost" }]).get("Cost");
    expect(seriesColors([{ ...named("Kosten"), id: "cost" }]).get("Kosten")).toBe(inEnglish as string);
  });

  test("show what is good or bad by itself in the colours of states, and other things in none", () => {
    const colors = seriesColors([
      { ...named("Completed"), tone: "ok" },
      { ...named("Failed"), tone: "bad" },
      { ...named("Other"), isOther: true },
      { ...named("Before"), isPrevious: true },
    ]);
    expect([...colors.values()]).toEqual(["--ok", "--bad", "--series-other", "--series-other"]);
  });

  test("sum what is stacked at a time, and know when there is nothing to show", () => {
    const series = [named("a"), { name: "b", values: [2] }, { name: "c", values: [null] }];
    expect(totalAt(series, 0)).toBe(3);
    expect(totalAt(series, 1)).toBeNull();
    expect(isAllZero([{ name: "a", values: [0, null] }])).toBe(true);
    expect(isAllZero(series)).toBe(false);
  });

  test("leave the period before out of totals, and add up what is cumulative", () => {
    const own = { name: "a", values: [1, null, 2] };
    const series = [own, { name: "before", values: [5, 5, 5], isPrevious: true }];
    expect(totalAt(series, 0)).toBe(1);
    expect(stacked(series)).toEqual([own]);
    expect(cumulate(series).map(({ values }) => values)).toEqual([
      [1, 1, 3],
      [5, 10, 15],
    ]);
  });

  test("know a success rate only where calls were completed or failed", () => {
    expect(successShare("3", 1)).toBe(0.75);
    expect(successShare(0, 0)).toBeNull();
  });

  test("are exported as files in which a spreadsheet computes nothing", () => {
    const chart = {
      times: [1, 2],
      series: [
        { name: "=1+1", values: [-5, null] },
        { name: 'a "b", c', values: [0.5, 2] },
      ],
    };
    expect(toCsv(chart, (seconds) => `@${seconds}`)).toBe('time,\'=1+1,"a ""b"", c"\r\n\'@1,-5,0.5\r\n\'@2,,2');
  });

  test("begin a new line after a gap", () => {
    expect(sparklinePath([1, null, 1, 0])).toBe("M0 1M64 1L96 19");
    expect(sparklinePath([])).toBe("");
    expect(sparklinePath([0, 0])).toBe("M0 19L96 19");
  });
});

test("the order of a list is one text, and an invalid one is ignored", () => {
  for (const sort of [
    { column: "created_at", isDescending: true },
    { column: "name", isDescending: false },
  ]) {
    expect(parseSort(formatSort(sort))).toEqual(sort);
  }
  expect(["", "--a", "a b", "-", "A"].map(parseSort)).toEqual([null, null, null, null, null]);
  const pressed = nextSort(null, "name");
  expect([pressed, nextSort(pressed, "name"), nextSort(nextSort(pressed, "name"), "name")]).toEqual([
    { column: "name", isDescending: true },
    { column: "name", isDescending: false },
    null,
  ]);
});

test("the palette requires every word, and ranks prefix matches first", () => {
  const entries = ["API keys", "Keys of day", "Usage"].map((label) => ({ label, onSelect: () => undefined }));
  expect(findEntries(entries, "keys").map(({ label }) => label)).toEqual(["Keys of day", "API keys"]);
  expect(findEntries(entries, "keys api").map(({ label }) => label)).toEqual(["API keys"]);
  expect(findEntries(entries, "")).toHaveLength(3);
});

test("a snippet is split into pieces that add up to it again", () => {
  const snippet = 'curl -H "Authorization: Bearer $API_KEY" --data \'{"a":1}\' # a first call';
  const tokens = toCodeTokens(snippet);
  expect(tokens.map(({ text }) => text).join("")).toBe(snippet);
  expect(tokens.filter(({ kind }) => kind !== "plain").map(({ kind }) => kind)).toEqual([
    "flag",
    "string",
    "flag",
    "string",
    "comment",
  ]);
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), (text) => {
      expect(
        toCodeTokens(text)
          .map((token) => token.text)
          .join(""),
      ).toBe(text);
    }),
  );
});

describe("the axes of bars", () => {
  const days = [0, 1, 2, 3, 4].map((day) => day * 86_400);

  test("leave room for the whole of the first and the last bar, even for a single one", () => {
    expect(spanOfBars(days)).toEqual([-43_200, 4.5 * 86_400]);
    expect(spanOfBars([86_400])).toEqual([43_200, 1.5 * 86_400]);
  });

  test("name the last time, and no more times than there is room for", () => {
    for (let room = 1; room < 7; room += 1) {
      const named = namedTimes(days, room);
      expect([named.length <= room, named.at(-1)]).toEqual([true, days.at(-1)]);
    }
  });

  test("select the bars that a drag touched, and not the day before the first of them", () => {
    expect(barsWithin(days, 86_400 - 20_000, 2 * 86_400 + 20_000)).toEqual([86_400, 2 * 86_400]);
    expect(barsWithin(days, 9 * 86_400, 10 * 86_400)).toBeNull();
  });

  test("use whole steps if every value is whole", () => {
    expect(stepsOf([{ name: "calls", values: [1, null, 3] }])?.[0]).toBe(1);
    expect(stepsOf([{ name: "cost", values: [0.5] }])).toBeUndefined();
  });
});

describe("a receipt", () => {
  test("shows attempts at their position in the time of the call", () => {
    const attempts = [
      { started_at_ms: 0, duration_ms: 250 },
      { started_at_ms: 500, duration_ms: 500 },
    ];
    expect(spansOf(attempts, 1_000)).toEqual([
      { start: 0, width: 25 },
      { start: 50, width: 50 },
    ]);
    // Clocks that differ draw nothing beyond the end.
    expect(spansOf([{ started_at_ms: 1_000, duration_ms: 1_000 }], 1_000)).toEqual([{ start: 50, width: 50 }]);
  });

  test("has amounts with as many places as the most exact one, and changes none", () => {
    expect(toEqualPlaces(["0.00781", "0.014508", "0"])).toEqual(["0.007810", "0.014508", "0.000000"]);
    expect(toEqualPlaces(["3", "12"])).toEqual(["3", "12"]);
  });
});

test("a moment of a list has no seconds, and a year only if it is another one", () => {
  const now = Date.parse("2026-11-29T12:00:00Z");
  const shown = ["2026-01-01T00:00:59Z", "2025-12-31T23:59:59Z"].map((time) => shortMoments("en", "UTC")(time, now));
  expect(shown.map((text) => text.replace(/\s/g, " "))).toEqual(["Jan 1, 12:00 AM", "Dec 31, 2025, 11:59 PM"]);
  // The year is that of the place.
  expect(shortMoments("en", "Asia/Tokyo")("2025-12-31T23:59:59Z", now)).not.toContain("2025");
});

test("formatters of numbers and dates are created once for each language and zone", () => {
  expect(formatsOf("de", "Asia/Tokyo")).toBe(formatsOf("de", "Asia/Tokyo"));
  expect(formatsOf("de", "Asia/Tokyo")).not.toBe(formatsOf("de", "UTC"));
  expect(formatsOf("en", "UTC").dateTime("2026-11-22T23:30:00Z")).not.toBe(
    formatsOf("en", "Asia/Tokyo").dateTime("2026-11-22T23:30:00Z"),
  );
});
